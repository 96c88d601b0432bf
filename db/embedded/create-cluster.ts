/** Makes a database cluster: complete or not at all. */
import { randomUUID } from 'node:crypto';
import { chownSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Account, runAs } from './account';
import type { Binaries } from './binaries';

export const DATABASE_USER = 'barograph';

/** Only password logins over the loopback address: no local user is trusted, replication is nobody's. */
const HOST_RULES = `# Written by Barograph at every start.
host all all 127.0.0.1/32 scram-sha-256
`;

export interface ClusterPlan {
  account: Account;
  binaries: Binaries;
  /** Does not exist yet, or is complete. Its parent exists and the account can write there. */
  cluster: string;
  password: string;
}

/** True once `initdb` has finished there. */
export function isCluster(cluster: string): boolean {
  return existsSync(join(cluster, 'PG_VERSION'));
}

/** Runs `initdb` beside the final place and renames it when it is complete (0.6–0.9 s). */
export async function createCluster(plan: ClusterPlan): Promise<void> {
  const parent = dirname(plan.cluster);
  for (const left of readdirSync(parent)) {
    if (left.startsWith('.new-')) rmSync(join(parent, left), { recursive: true, force: true });
  }
  const id = randomUUID();
  const unfinished = join(parent, `.new-${id}`);
  const passwordFile = join(parent, `.new-${id}-password`);
  try {
    writeFileSync(passwordFile, `${plan.password}\n`, { mode: 0o600 });
    own(plan.account, passwordFile);
    await runAs(plan.account, plan.binaries.initdb, [
      `--pgdata=${unfinished}`,
      `--username=${DATABASE_USER}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      // The same order and case rules on every machine, whatever its C library.
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
    ]);
    renameSync(unfinished, plan.cluster);
  } catch (cause) {
    const detail = (cause as { stderr?: unknown }).stderr;
    throw new Error(
      `initdb failed in ${parent}: ${typeof detail === 'string' ? detail.trim() : String(cause)}`,
      {
        cause,
      },
    );
  } finally {
    rmSync(passwordFile, { force: true });
    rmSync(unfinished, { recursive: true, force: true });
  }
}

export function writeHostRules(account: Account, cluster: string): void {
  const path = join(cluster, 'pg_hba.conf');
  if (existsSync(path) && readFileSync(path, 'utf8') === HOST_RULES) return;
  writeFileSync(path, HOST_RULES, { mode: 0o600 });
  own(account, path);
}

/** Gives a file to the account that runs Postgres. */
export function own(account: Account, path: string): void {
  if (account.switchTo) chownSync(path, account.switchTo.uid, account.switchTo.gid);
}
