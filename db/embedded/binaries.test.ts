import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLinks, findPackagedBinaries } from './binaries';

let folder = '';
const library = (name: string) => join(folder, 'native', 'lib', name);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'barograph-binaries-'));
  mkdirSync(join(folder, 'native', 'lib'), { recursive: true });
  writeFileSync(library('libx.so.1.2'), 'x');
  writeFileSync(
    join(folder, 'native', 'pg-symlinks.json'),
    JSON.stringify([
      { source: 'native/lib/libx.so.1.2', target: 'native/lib/libx.so.1' },
      { source: 'native/lib/libx.so.1.2', target: 'native/lib/libx.so' },
    ]),
  );
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('packaged binaries', () => {
  it('get the links that an install script would have created', () => {
    createLinks(folder);
    expect(readlinkSync(library('libx.so.1'))).toBe('libx.so.1.2');
    expect(existsSync(library('libx.so'))).toBe(true);
    createLinks(folder);
  });

  it('replace a dangling link', () => {
    symlinkSync('gone', library('libx.so'));
    createLinks(folder);
    expect(readlinkSync(library('libx.so'))).toBe('libx.so.1.2');
  });

  it('are installed for this machine', () => {
    expect(findPackagedBinaries().version).toMatch(/^\d+\./);
  });

  it('are reported missing with a way out', () => {
    expect(() => findPackagedBinaries(new URL(`file://${folder}/x.js`).href)).toThrow(/DATABASE_URL/);
  });
});
