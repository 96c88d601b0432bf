/**
 * The account that runs Postgres. Postgres refuses to run as root, so root runs it as `postgres`, or else as
 * `nobody`; other accounts run it themselves.
 *
 * `setpriv --pdeathsig INT` makes the kernel shut Postgres down cleanly when this process dies. Without
 * setpriv (macOS, small images) a killed server leaves Postgres behind, and the next start ends it.
 */
import { type ChildProcess, execFile, type SpawnOptions, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface Account {
  name: string;
  /** Set when it differs from this process's account. */
  switchTo: { uid: number; gid: number } | null;
}

/** Postgres gets nothing of this process's environment: no locale, no PG… variable. */
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
    const ids = await lookUp(name);
    if (ids) return { name, switchTo: ids };
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

async function lookUp(name: string): Promise<{ uid: number; gid: number } | null> {
  try {
    const uid = Number((await run('id', ['-u', name], { env })).stdout);
    const gid = Number((await run('id', ['-g', name], { env })).stdout);
    return Number.isInteger(uid) && uid > 0 && Number.isInteger(gid) ? { uid, gid } : null;
  } catch {
    return null;
  }
}

interface Command {
  file: string;
  args: string[];
  options: { cwd: string; env: NodeJS.ProcessEnv; uid?: number; gid?: number };
}

function asAccount(account: Account, file: string, args: readonly string[], bindToParent: boolean): Command {
  const cwd = process.platform === 'win32' ? 'C:\\' : '/';
  const { switchTo } = account;
  if (setpriv && (switchTo || bindToParent)) {
    const ids = switchTo ? [`--reuid=${switchTo.uid}`, `--regid=${switchTo.gid}`, '--clear-groups'] : [];
    const bind = bindToParent ? ['--pdeathsig', 'INT'] : [];
    return { file: setpriv, args: [...ids, ...bind, '--', file, ...args], options: { cwd, env } };
  }
  return { file, args: [...args], options: { cwd, env, ...(switchTo ?? {}) } };
}

/** Start a long-running program in its own session: a terminal's Ctrl-C must not reach it first. */
export function spawnAs(
  account: Account,
  file: string,
  args: readonly string[],
  stdio: NonNullable<SpawnOptions['stdio']>,
): ChildProcess {
  const command = asAccount(account, file, args, true);
  return spawn(command.file, command.args, { ...command.options, stdio, detached: true });
}

/**
 * Run a program to its end.
 * @throws an Error with its stderr.
 */
export async function runAs(account: Account, file: string, args: readonly string[]): Promise<string> {
  const command = asAccount(account, file, args, false);
  const { stdout } = await run(command.file, command.args, { ...command.options, encoding: 'utf8' });
  return stdout;
}

/** Whether the account can reach and execute this program. */
export async function canRun(account: Account, file: string): Promise<boolean> {
  try {
    await runAs(account, file, ['--version']);
    return true;
  } catch {
    return false;
  }
}

/** Whether the account can enter this folder and create files in it. */
export async function canUse(account: Account, folder: string): Promise<boolean> {
  if (!account.switchTo) return true;
  try {
    await runAs(account, '/bin/sh', ['-c', 'cd -- "$1" && test -w .', 'sh', folder]);
    return true;
  } catch {
    return false;
  }
}
