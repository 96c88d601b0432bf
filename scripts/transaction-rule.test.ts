/** Only `db/transact.ts` starts transactions, because others do not survive a lost connection. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listFiles } from './lib/list-files';
import { projectFolder } from './lib/project-folder';

const ROOMS = ['db', 'server', 'app', 'scripts', 'bench'];
const BEGINS = /\.begin\s*(?:<[^>]*>)?\s*\(/;

describe('transactions', () => {
  it('start only in db/transact.ts', () => {
    const sources = ROOMS.flatMap((room) => listFiles(projectFolder, room)).filter((path) =>
      /\.(ts|tsx|mts|mjs)$/.test(path),
    );
    const begin = sources.filter((path) => BEGINS.test(readFileSync(join(projectFolder, path), 'utf8')));
    expect(begin).toEqual(['db/transact.ts']);
  });
});
