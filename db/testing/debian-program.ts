/** Programs of Debian packages, which tests run and skip without. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const cache = fileURLToPath(new URL('../../node_modules/.cache/debian', import.meta.url));

/**
 * The installed program, or the one in its Debian package, which needs no installation; null: there is none.
 * @param path of the program in the package
 */
export function findDebianProgram(name: string, path: string): string | null {
  const runs = (program: string) => spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0;
  const kept = join(cache, basename(path));
  const known = [basename(path), `/${path}`, kept].find(runs);
  if (known !== undefined) return known;
  const work = mkdtempSync(join(tmpdir(), 'barograph-debian-'));
  try {
    spawnSync('apt-get', ['download', name], { cwd: work, stdio: 'ignore', timeout: 60_000 });
    const file = readdirSync(work).find((each) => each.endsWith('.deb'));
    if (file === undefined) return null;
    spawnSync('dpkg-deb', ['-x', file, 'files'], { cwd: work, stdio: 'ignore' });
    if (!existsSync(join(work, 'files', path))) return null;
    mkdirSync(dirname(kept), { recursive: true });
    cpSync(join(work, 'files', path), kept);
    return runs(kept) ? kept : null;
  } catch {
    // Without network, or in a clone of another account.
    return null;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
