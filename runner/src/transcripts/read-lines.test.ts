import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readLines } from './read-lines';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'barograph-lines-'));
  file = join(folder, 'a.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true }));

async function read(from = 0) {
  const lines: string[] = [];
  let offset = from;
  for await (const batch of readLines(file, { from })) {
    lines.push(...batch.lines);
    offset = batch.offset;
  }
  return { lines, offset };
}

describe('readLines', () => {
  it('leaves an incomplete line unread until it is complete', async () => {
    writeFileSync(file, '{"a":1}\n{"b":');
    const first = await read();
    expect(first).toEqual({ lines: ['{"a":1}'], offset: 8 });
    appendFileSync(file, '2}\n');
    expect(await read(first.offset)).toEqual({ lines: ['{"b":2}'], offset: 16 });
  });

  it('reads a last line of complete JSON without a line feed, and later text on the same line', async () => {
    writeFileSync(file, '{"a":1}\n{"b":2}');
    const first = await read();
    expect(first).toEqual({ lines: ['{"a":1}', '{"b":2}'], offset: 15 });
    appendFileSync(file, '{"c":3}\n');
    expect((await read(first.offset)).lines).toEqual(['{"c":3}']);
  });

  it('does not read an incomplete value as a line', async () => {
    writeFileSync(file, '12');
    expect(await read()).toEqual({ lines: [], offset: 0 });
    writeFileSync(file, '{"a":{"b":1}');
    expect(await read()).toEqual({ lines: [], offset: 0 });
  });

  it('joins lines that are longer than one read, even if a read ends within a character', async () => {
    const long = JSON.stringify({ text: '€'.repeat(400_000) });
    writeFileSync(file, `${long}\n{"a":1}\n`);
    const { lines, offset } = await read();
    expect(lines).toEqual([long, '{"a":1}']);
    expect(offset).toBe(Buffer.byteLength(long) + 9);
  });
});
