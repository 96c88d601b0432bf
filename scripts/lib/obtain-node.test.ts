import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { obtainNode } from './obtain-node';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'barograph-nodes-'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

function keep(line: string, says: string): string {
  const program = join(folder, line, 'node');
  mkdirSync(join(folder, line), { recursive: true });
  writeFileSync(program, `#!/bin/sh\necho ${says}\n`);
  chmodSync(program, 0o755);
  return program;
}

it('uses an installed Node, and returns its exact version', () => {
  const program = keep('22', 'v22.9.1');
  expect(obtainNode('22', folder)).toEqual({ program, version: '22.9.1' });
});

it('removes an installed program of another version', () => {
  keep('22', 'v2.2.9');
  expect(obtainNode('22', folder)).toEqual({ missing: expect.stringContaining('it reports 2.2.9') });
  expect(existsSync(join(folder, '22'))).toBe(false);
});

it('gives the reason if no package can be fetched, and leaves no files', () => {
  vi.stubEnv('PATH', folder);
  expect(obtainNode('24', folder)).toEqual({
    missing: expect.stringMatching(/^No Node 24 for \w+ \w+: .*(npm|ENOENT)/),
  });
  expect(existsSync(join(folder, '24'))).toBe(false);
});
