/** Access rights of archives, and their safety on a full disk, in a crash, and with many processes. */
import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readArchiveIndex } from '../archive/archive-index';
import { prepareHook, runHook } from './testing/hook';

const used = prepareHook();

const isRoot = process.geteuid?.() === 0;
const succeeds = (file: string, ...args: string[]) => spawnSync(file, args).status === 0;
/** An unprivileged account without an entry in /etc/passwd. Only root can start a process as another account. */
const STRANGER = 54_321;
const canBeOther = isRoot && succeeds('setpriv', '--version');
const asOther = ['setpriv', `--reuid=${STRANGER}`, `--regid=${STRANGER}`, '--clear-groups'];
/** A private file system that ends with the process. */
const inOwnMounts = isRoot ? ['unshare', '-m'] : ['unshare', '-rm'];
const canMount = succeeds(
  inOwnMounts[0] ?? '',
  ...inOwnMounts.slice(1),
  'mount',
  '-t',
  'tmpfs',
  'none',
  '/mnt',
);

const shell = (script: string) => ['sh', '-c', `${script}; exec "$@"`, 'sh'];

/** Modes of all created files and folders, by path below the home. */
function modes(folder: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath ?? entry.path, entry.name);
    found[path.slice(used.home.folder.length)] = (statSync(path).mode & 0o777).toString(8);
  }
  return found;
}

/** Runs a module that imports the built library, in a separate process. */
async function runModule(
  code: string,
  prefix: string[] = [],
): Promise<{ code: number | null; output: string }> {
  const file = join(used.command.folder, `module-${randomUUID()}.mjs`);
  writeFileSync(file, `import { createPreCompactHook } from './archive.js';\n${code}`);
  const [first = '', ...rest] = [...prefix, process.execPath, file];
  const child = spawn(first, rest, {
    env: used.home.env as NodeJS.ProcessEnv,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (text) => {
    output += text;
  });
  const [status] = await once(child, 'close');
  return { code: status, output };
}

describe('what barograph hook creates', () => {
  it.each(['000', '022', '077', '777'])('is private under umask %s', async (umask) => {
    chmodSync(used.home.transcript, 0o666);
    const { code, stdout } = await runHook(used.command, used.home, { prefix: shell(`umask ${umask}`) });
    expect({ code, stdout }).toEqual({ code: 0, stdout: '{}' });
    const made = () => modes(join(used.home.folder, '.config'));
    await expect.poll(() => Object.keys(made()).length).toBe(7);
    for (const [path, mode] of Object.entries(made())) {
      expect([path, mode]).toEqual([path, path.endsWith('.jsonl') ? '600' : '700']);
    }
    expect(statSync(join(used.home.folder, '.config')).mode & 0o777).toBe(0o700);
  });

  it.skipIf(!canBeOther)('is also private for an unprivileged account', async () => {
    chownSync(used.home.folder, STRANGER, STRANGER);
    const { code, stdout } = await runHook(used.command, used.home, {
      prefix: [...asOther, ...shell('umask 000')],
    });
    expect({ code, stdout }).toEqual({ code: 0, stdout: '{}' });
    expect(used.home.archives()).toHaveLength(1);
    expect(statSync(used.home.archives()[0] ?? '')).toMatchObject({ uid: STRANGER });
    expect(new Set(Object.values(modes(join(used.home.folder, '.config'))))).toEqual(new Set(['600', '700']));
  });

  it.skipIf(!canBeOther)(
    'is nothing if the transcript or the folder denies access: the hook logs an error and answers {}',
    async () => {
      chmodSync(used.home.transcript, 0o600);
      const prefix = asOther;
      const config = { BAROGRAPH_CONFIG_DIR: join(used.home.folder, 'config') };
      const unreadable = await runHook(used.command, used.home, { prefix, env: config });
      expect(unreadable).toMatchObject({
        code: 0,
        stdout: '{}',
        stderr: expect.stringMatching(/^ERROR .*EACCES/),
      });
      chmodSync(used.home.transcript, 0o644);
      const unwritable = await runHook(used.command, used.home, { prefix });
      expect(unwritable).toMatchObject({
        code: 0,
        stdout: '{}',
        stderr: expect.stringMatching(/^ERROR .*EACCES/),
      });
    },
  );
});

describe('a full disk', () => {
  it.skipIf(!canMount)(
    'fails the archive but not the compaction: the hook logs an error, leaves no partial file and answers {}',
    async () => {
      truncateSync(used.home.transcript, 5_000_000);
      mkdirSync(join(used.home.folder, '.config'));
      const script = `mount -t tmpfs -o size=1m none ${used.home.folder}/.config; "$@"; echo; find ${used.home.folder}/.config -type f -size +0`;
      const prefix = [...inOwnMounts, 'sh', '-c', script, 'sh'];
      const { stdout, stderr } = await runHook(used.command, used.home, { prefix });
      const [answer, ...files] = stdout.trim().split('\n');
      expect(answer).toBe('{}');
      expect(stderr).toMatch(/^ERROR PreCompact: failed to archive the transcript .*ENOSPC/);
      expect(files.map((file) => file.slice(used.home.folder.length))).toEqual([
        '/.config/barograph/runs/index.jsonl',
      ]);
    },
  );
});

describe('a copy in progress', () => {
  it('leaves no archive when killed with -9', async () => {
    await runHook(used.command, used.home);
    const [first = ''] = used.home.archives();
    truncateSync(used.home.transcript, 5_000_000);
    // Only copies read through a file handle; the second read follows the first write.
    const code = `const { open } = await import('node:fs/promises');
      const prototype = Object.getPrototypeOf(await open(process.argv[1]));
      const { read } = prototype;
      let reads = 0;
      prototype.read = function (...rest) {
        reads += 1;
        if (reads === 2) process.kill(process.pid, 'SIGKILL');
        return read.apply(this, rest);
      };
      await createPreCompactHook({ timeoutMs: 600_000 })(${used.home.payload({ session_id: 'killed' })});`;
    expect((await runModule(code)).code).toBeNull();
    expect(readdirSync(join(first, '..', '.partial'))).toHaveLength(1);
    expect(used.home.archives()).toEqual([first]);
    const { entries } = await readArchiveIndex(join(used.home.folder, '.config', 'barograph'));
    expect(entries).toHaveLength(1);
  });

  it('never collides with hundreds of others of the same second, from four processes', async () => {
    const code = `const at = Date.UTC(2026, 10, 22, 1, 54, 12);
      const failed = [];
      const quiet = () => undefined;
      const logger = { debug: quiet, info: quiet, warn: (m) => failed.push(m), error: (m) => failed.push(m) };
      const hook = createPreCompactHook({ now: () => at, timeoutMs: 600_000, logger });
      await Promise.all(Array.from({ length: 100 }, () => hook(${used.home.payload()})));
      console.log(JSON.stringify(failed));`;
    const runs = await Promise.all(Array.from({ length: 4 }, () => runModule(code)));
    expect(runs).toEqual(Array.from({ length: 4 }, () => ({ code: 0, output: '[]\n' })));
    expect(used.home.archives()).toHaveLength(400);
    const { size } = statSync(used.home.transcript);
    expect(used.home.archives().filter((path) => statSync(path).size !== size)).toEqual([]);
    const { entries, unreadable } = await readArchiveIndex(join(used.home.folder, '.config', 'barograph'));
    expect(unreadable).toBe(0);
    expect(new Set(entries.map(({ archive }) => archive))).toEqual(new Set(used.home.archives()));
  });
});
