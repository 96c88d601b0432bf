/**
 * The account that runs Postgres. Postgres refuses to run as root, so root uses `postgres` or `nobody`.
 * `setpriv --pdeathsig INT` shuts Postgres down cleanly when this process dies. Without setpriv, Postgres runs on until
 * the next start of the server shuts it down.
 */
import { type ChildProcess, execFile, type SpawnOptions, spawn } from 'node:child_process';
import { chownSync, existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface Account {
  name: string;
  /** Null if Postgres runs as the account of this process. */
  switchTo: { uid: number; gid: number } | null;
}

/** Postgres does not inherit this process's environment: no locale, no PG… variable. */
const env = {
  LC_ALL: 'C',
  TZ: 'UTC',
  PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin',
} as unknown as NodeJS.ProcessEnv;

const setpriv = ['/usr/bin/setpriv', '/bin/setpriv', '/usr/sbin/setpriv'].find((path) => existsSync(path));

/** @throws an Error for the operator when root finds no account to switch to. */
export async function chooseAccount(): Promise<Account> {
  if (process.geteuid?.() !== 0) return { name: currentName(), switchTo: null };
  for (const name of ['postgres', 'nobody']) {
    const ids = ['-u', '-g'].map(async (kind) => Number((await run('id', [kind, name], { env })).stdout));
    const [uid = 0, gid = 0] = await Promise.all(ids).catch(() => []);
    if (uid > 0) return { name, switchTo: { uid, gid } };
  }
  throw new Error(
    'PostgreSQL refuses to run as root, and this machine has neither a `postgres` nor a `nobody` account. ' +
      'Start Barograph as an ordinary user, or set DATABASE_URL to a PostgreSQL of your own.',
  );
}

function currentName(): string {
  try {
    return userInfo().username;
  } catch {
    // Containers run with user ids without a passwd entry.
    return String(process.geteuid?.() ?? 'this user');
  }
}

function asAccount({ switchTo }: Account, file: string, args: readonly string[], bindToParent: boolean) {
  const options = { cwd: process.platform === 'win32' ? 'C:\\' : '/', env };
  if (setpriv && (switchTo || bindToParent)) {
    const ids = switchTo ? [`--reuid=${switchTo.uid}`, `--regid=${switchTo.gid}`, '--clear-groups'] : [];
    const bind = bindToParent ? ['--pdeathsig', 'INT'] : [];
    return { file: setpriv, args: [...ids, ...bind, '--', file, ...args], options };
  }
  return { file, args: [...args], options: { ...options, ...switchTo } };
}

/** Start a long-running program in its own session, so that a terminal's Ctrl-C does not reach it first. */
export function spawnAs(
  account: Account,
  file: string,
  args: readonly string[],
  stdio: NonNullable<SpawnOptions['stdio']>,
): ChildProcess {
  const command = asAccount(account, file, args, true);
  return spawn(command.file, command.args, { ...command.options, stdio, detached: true });
}

/** @throws an Error with the stderr of the program */
export async function runAs(account: Account, file: string, args: readonly string[]): Promise<void> {
  const command = asAccount(account, file, args, false);
  await run(command.file, command.args, command.options);
}

export function canRun(account: Account, file: string, args: readonly string[]): Promise<boolean> {
  return runAs(account, file, args).then(
    () => true,
    () => false,
  );
}

export function own({ switchTo }: Account, path: string): void {
  if (switchTo) chownSync(path, switchTo.uid, switchTo.gid);
}
