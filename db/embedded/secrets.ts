/** The password of the embedded database: made once, readable by the server's own account alone. */
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const PASSWORD_FILE = 'postgres-password';

/** @throws when there is none. */
export function readPassword(folder: string): string {
  return readFileSync(join(folder, PASSWORD_FILE), 'utf8').trim();
}

/**
 * The folder's password, made when there is none.
 *
 * @throws an Error with a sentence for the operator when a cluster exists whose password file is gone.
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
