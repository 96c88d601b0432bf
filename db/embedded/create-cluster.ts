/** Creates a database cluster, completely or not at all, and its password. */
import { randomBytes, randomUUID } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { type Account, runAs } from './account';
import type { Binaries } from './binaries';

const PASSWORD_FILE = 'postgres-password';

/** @throws when there is none. */
export function readPassword(folder: string): string {
  return readFileSync(join(folder, PASSWORD_FILE), 'utf8').trim();
}

/**
 * The folder's password, created if missing. Only the server's account can read it.
 *
 * @throws an Error for the operator when a cluster exists without its password file.
 */
export function ensurePassword(folder: string, clusterExists: boolean): string {
  const path = join(folder, PASSWORD_FILE);
  if (existsSync(path)) {
    chmodSync(path, 0o600);
    return readPassword(folder);
  }
  if (clusterExists) {
    throw new Error(
      `${path} is missing, and the database in ${folder} opens with nothing else. Restore that file.`,
    );
  }
  const password = randomBytes(24).toString('base64url');
  const draft = `${path}.unfinished`;
  writeFileSync(draft, `${password}\n`, { mode: 0o600 });
  renameSync(draft, path);
  return password;
}

export const DATABASE_USER = 'barograph';

/** Password logins over the loopback address only; no trust for local users, no replication. */
const HOST_RULES = `# Written by Barograph at every start.
host all all 127.0.0.1/32 scram-sha-256
`;

export interface ClusterPlan {
  account: Account;
  binaries: Binaries;
  /** Does not exist yet, or is complete. Its parent exists and is writable for the account. */
  cluster: string;
  password: string;
}

/** Whether `initdb` has finished there. */
export function isCluster(cluster: string): boolean {
  return existsSync(join(cluster, 'PG_VERSION'));
}

/** Run `initdb` in a temporary folder and rename it when it is complete (0.6–0.9 s). */
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
      // The same collation on every machine, independent of its C library.
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

/** Give a file to the account that runs Postgres. */
export function own(account: Account, path: string): void {
  if (account.switchTo) chownSync(path, account.switchTo.uid, account.switchTo.gid);
}
