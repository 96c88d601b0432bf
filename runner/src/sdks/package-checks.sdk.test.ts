/** Checks the packed package with the tools that other authors use, which are installed from the registry. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { folderOf, isInstalled } from './testing/sdk-sets';

const runner = fileURLToPath(new URL('../../', import.meta.url));
const tools = path.join(folderOf('checks'), 'node_modules');
let work: string;
let tarball: string;

function run(command: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: work, encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

describe.skipIf(!isInstalled())('the packed package', () => {
  beforeAll(() => {
    work = mkdtempSync(path.join(tmpdir(), 'barograph-checks-'));
    // `npm run test:sdks` has built the package.
    const flags = ['--ignore-scripts', '--pack-destination', work];
    const packed = spawnSync('npm', ['pack', ...flags], { cwd: runner, encoding: 'utf8' });
    expect(packed.status, packed.stderr).toBe(0);
    tarball = path.join(work, readdirSync(work)[0] ?? '');
    const installed = path.join(work, 'node_modules', 'barograph');
    mkdirSync(installed, { recursive: true });
    cpSync(path.join(runner, 'package.json'), path.join(installed, 'package.json'));
    cpSync(path.join(runner, 'dist'), path.join(installed, 'dist'), { recursive: true });
    writeFileSync(path.join(work, 'package.json'), '{"type":"module"}');
    const { exports } = JSON.parse(readFileSync(path.join(runner, 'package.json'), 'utf8')) as {
      exports: Record<string, unknown>;
    };
    const entries = Object.keys(exports).filter((entry) => !entry.includes('*'));
    const lines = entries.map((entry, index) => `export * as e${index} from 'barograph${entry.slice(1)}';`);
    for (const file of ['all.ts', 'all.cts']) writeFileSync(path.join(work, file), lines.join('\n'));
  });
  afterAll(() => rmSync(work, { recursive: true, force: true }));

  test('has no finding of publint', () => {
    const { status, output } = run(path.join(tools, '.bin', 'publint'), 'run', tarball, '--strict');
    expect(output).toContain('All good!');
    expect(status).toBe(0);
  });

  test('has no finding of attw for node16, nodenext and bundlers', () => {
    // The profile leaves out Node 10, which knows no `exports`.
    const { status, output } = run(path.join(tools, '.bin', 'attw'), tarball, '--profile', 'node16');
    expect(status, output).toBe(0);
  });

  test.each([
    ['all.ts', 'node16', 'node16'],
    ['all.cts', 'node16', 'node16'],
    ['all.ts', 'nodenext', 'nodenext'],
    ['all.cts', 'nodenext', 'nodenext'],
    ['all.ts', 'esnext', 'bundler'],
  ])(
    'passes TypeScript 5.0 with its library checks: %s, module %s, resolution %s',
    (file, module, resolution) => {
      const tsc = path.join(tools, 'typescript-5.0', 'bin', 'tsc');
      const flags = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--target', 'es2022'];
      const how = ['--module', module, '--moduleResolution', resolution];
      expect(run(process.execPath, tsc, ...flags, ...how, file)).toEqual({ status: 0, output: '' });
    },
  );
});
