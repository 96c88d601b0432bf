import { randomBytes, randomUUID } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { type Account, canRun, own, runAs } from './account';
import type { Binaries } from './binaries';

export const DATABASE_USER = 'barograph';

export const clusterFolder = (folder: string): string => join(folder, 'postgres', 'data');
const passwordFile = (folder: string): string => join(folder, 'postgres-password');

export function readPassword(folder: string): string {
  return readFileSync(passwordFile(folder), 'utf8').trim();
}

/** Password logins over the loopback address only; no trust for local users, no replication. */
const HOST_RULES = `# Written by Barograph at every start.
host all all 127.0.0.1/32 scram-sha-256
`;

/**
 * Create the cluster and its password if they are missing. Only the server's account can read the password.
 * @returns the password
 */
export async function prepareCluster(folder: string, account: Account, binaries: Binaries): Promise<string> {
  const cluster = clusterFolder(folder);
  const isCluster = () => existsSync(join(cluster, 'PG_VERSION'));
  const path = passwordFile(folder);
  if (!existsSync(path)) {
    if (isCluster()) {
      throw new Error(
        `${path} is missing, and the database in ${folder} cannot be opened without it. Restore that file.`,
      );
    }
    const draft = `${path}.unfinished`;
    writeFileSync(draft, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600 });
    renameSync(draft, path);
  }
  chmodSync(path, 0o600);
  const password = readPassword(folder);
  if (!isCluster()) await createCluster(dirname(cluster), account, binaries, password);
  const found = readFileSync(join(cluster, 'PG_VERSION'), 'utf8').trim();
  const [major] = binaries.version.split('.');
  if (found !== major) {
    throw new Error(
      `The data in ${cluster} was written by PostgreSQL ${found}, but this version of Barograph includes ${major}. ` +
        'Move the data with `barograph backup` of the earlier version and `barograph restore`, or choose another BAROGRAPH_DATA_DIR.',
    );
  }
  const rules = join(cluster, 'pg_hba.conf');
  writeFileSync(rules, HOST_RULES, { mode: 0o600 });
  own(account, rules);
  return password;
}

/** @throws an Error for the operator if the account cannot enter the folder */
export async function prepareHome(folder: string, account: Account): Promise<void> {
  const home = dirname(clusterFolder(folder));
  mkdirSync(folder, { recursive: true, mode: account.switchTo ? 0o711 : 0o700 });
  // The account of Postgres must be able to enter the folder. That account cannot list the folder, and files with
  // secrets have mode 0600.
  if (account.switchTo) chmodSync(folder, (statSync(folder).mode & 0o777) | 0o011);
  mkdirSync(home, { recursive: true, mode: 0o700 });
  own(account, home);
  if (!account.switchTo) return;
  if (await canRun(account, '/bin/sh', ['-c', 'cd -- "$1" && test -w .', 'sh', home])) return;
  throw new Error(
    `PostgreSQL runs as ${account.name}, which cannot enter ${home}: a folder above it is closed to others. ` +
      'Choose another BAROGRAPH_DATA_DIR, for example /var/lib/barograph.',
  );
}

/** Run `initdb` in a temporary folder and rename it when it is complete (0.6–0.9 s). */
async function createCluster(
  home: string,
  account: Account,
  { initdb }: Binaries,
  password: string,
): Promise<void> {
  for (const left of readdirSync(home)) {
    if (left.startsWith('.new-')) rmSync(join(home, left), { recursive: true, force: true });
  }
  const unfinished = join(home, `.new-${randomUUID()}`);
  const secret = `${unfinished}-password`;
  try {
    writeFileSync(secret, `${password}\n`, { mode: 0o600 });
    own(account, secret);
    await runAs(account, initdb, [
      `--pgdata=${unfinished}`,
      `--username=${DATABASE_USER}`,
      `--pwfile=${secret}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      // The same collation on every machine, independent of its C library.
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
    ]);
    renameSync(unfinished, join(home, 'data'));
  } catch (cause) {
    const { stderr } = cause as { stderr?: string };
    throw new Error(`initdb failed in ${home}: ${stderr?.trim() ?? String(cause)}`, { cause });
  } finally {
    rmSync(secret, { force: true });
    rmSync(unfinished, { recursive: true, force: true });
  }
}
