/** Runs the Python package's own tests as tests of this suite; skipped without Python 3.9. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { findPython, type Python } from '../testing/find-python';

const folder = fileURLToPath(new URL('.', import.meta.url));
const vectors = fileURLToPath(new URL('../../core/vectors/', import.meta.url));
const work = mkdtempSync(path.join(tmpdir(), 'barograph-python-'));
const searchPath = process.env.PATH ?? '';
const python = findPython(searchPath);

afterAll(() => rmSync(work, { recursive: true, force: true }));

/** Rejects with the output if it fails. Passes only the PATH of this process's environment. */
function run({ executable }: Python, ...args: string[]) {
  const env = { NODE_ENV: 'test' as const, PATH: searchPath, HOME: work, TMPDIR: work };
  return promisify(execFile)(executable, ['-B', ...args], { cwd: folder, env, timeout: 120_000 });
}

test.skipIf(python === null)('finds a Python of 3.9 or newer', () => {
  expect(python?.version).toMatch(/^3\.(9|\d\d)/);
});
if (python !== null) {
  describe(`the Python package on Python ${python.version}`, () => {
    test.concurrent.each(['test_calls', 'test_archive'])(
      '%s passes',
      async (name) => {
        const { stderr } = await run(python, '-m', 'unittest', '-v', name);
        expect(stderr).toMatch(/Ran \d{2,} tests in /);
      },
      120_000,
    );

    test('the shared vectors equal those that vectors/derive computes', async () => {
      await run(python, path.join(vectors, 'derive'), work);
      const names = readdirSync(vectors).filter((name) => name.endsWith('.json'));
      expect(readdirSync(work).filter((name) => name.endsWith('.json'))).toEqual(names);
      for (const name of names) {
        const read = (from: string) => JSON.parse(readFileSync(path.join(from, name), 'utf8'));
        expect(read(work), name).toEqual(read(vectors));
      }
    }, 120_000);
  });
}
