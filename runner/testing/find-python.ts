/** Finds a Python for the tests. */
import { spawnSync } from 'node:child_process';

export interface Python {
  /** Absolute path of the interpreter itself, not of a version manager. */
  executable: string;
  /** Such as `3.11`. */
  version: string;
}

const CANDIDATES = ['python3', 'python', ...[13, 12, 11, 10, 9, 14].map((minor) => `python3.${minor}`)];
const ASK = 'import sys; print(sys.executable); print("%d.%d" % sys.version_info[:2])';

/** The first Python 3.9 or newer on the path; null if there is none. */
export function findPython(path: string): Python | null {
  for (const name of CANDIDATES) {
    const { status, stdout } = spawnSync(name, ['-c', ASK], {
      encoding: 'utf8',
      env: { NODE_ENV: 'test', PATH: path, HOME: '/nonexistent' },
      timeout: 120_000,
    });
    const [executable = '', version = ''] = (stdout ?? '').split('\n');
    const [major = 0, minor = 0] = version.split('.').map(Number);
    if (status === 0 && major === 3 && minor >= 9) return { executable, version };
  }
  return null;
}
