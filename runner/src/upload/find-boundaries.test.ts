import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CHUNK_BYTES, MAX_SUMMARY } from '../../../core/transcript/limits';
import { boundaryLine, callLine, promptLine } from '../transcripts/testing/write-transcript';
import { findBoundaries, readSummary } from './find-boundaries';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'boundaries-'));
  path = join(folder, 't.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true }));

const hashOf = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');

describe('findBoundaries', () => {
  it('finds compactions with the hash of the file up to the end of each line', async () => {
    const first = promptLine('one') + callLine('msg_1', 5) + boundaryLine('b1', 'auto');
    const second = promptLine('two') + boundaryLine('b2', 'manual');
    writeFileSync(path, first + second + promptLine('three'));
    const found = await findBoundaries(path);
    const digestOf = (text: string, lines: number) => ({ bytes: text.length, lines, sha256: hashOf(text) });
    expect(found).toMatchObject([
      { id: 'b1', trigger: 'auto', digest: digestOf(first, 3) },
      { id: 'b2', trigger: 'manual', digest: digestOf(first + second, 5) },
    ]);
    expect(found[0]?.at).toBe(Date.parse('2026-03-01T10:00:02.000Z'));
  });

  it('finds a repeated line once, and ignores microcompactions', async () => {
    const projects = new URL(
      '../../../core/agents/claude-code/fixtures/compactions/-home-dev-harbour/',
      import.meta.url,
    );
    const file = fileURLToPath(new URL('11111111-1111-4111-8111-111111111111.jsonl', projects));
    const lines = readFileSync(file, 'utf8').split('\n');
    const found = await findBoundaries(file);
    expect(found.map(({ digest }) => digest.lines)).toEqual([6, 10]);
    expect(found[1]?.digest.sha256).toBe(hashOf(`${lines.slice(0, 10).join('\n')}\n`));
  });

  it('finds compactions across reads, with the chunk hashes of each', async () => {
    const filler = promptLine('x'.repeat(CHUNK_BYTES - 200));
    const content = Buffer.from(filler + boundaryLine('b1') + filler + filler + boundaryLine('b2'));
    writeFileSync(path, content);
    const found = await findBoundaries(path);
    expect(found.map(({ id }) => id)).toEqual(['b1', 'b2']);
    for (const { digest } of found) {
      const part = content.subarray(0, digest.bytes);
      expect(digest.sha256).toBe(hashOf(part));
      expect(digest.chunks).toEqual(
        Array.from({ length: Math.ceil(part.length / CHUNK_BYTES) }, (_, index) =>
          hashOf(part.subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES)),
        ),
      );
    }
  });

  it('leaves out compactions before a given byte', async () => {
    const first = boundaryLine('b1');
    writeFileSync(path, first + promptLine('two') + boundaryLine('b2'));
    expect((await findBoundaries(path, first.length)).map(({ id }) => id)).toEqual(['b2']);
  });

  it('leaves out a compaction until its line feed is written', async () => {
    writeFileSync(path, promptLine('one') + boundaryLine('b1').trimEnd());
    expect(await findBoundaries(path)).toEqual([]);
  });

  it('finds a compaction on a line with other values, and ignores quotations in messages', async () => {
    const quotation = promptLine('{"type":"system","subtype":"compact_boundary"}');
    writeFileSync(path, quotation + promptLine('glued').trimEnd() + boundaryLine('b1'));
    expect(await findBoundaries(path)).toMatchObject([{ id: 'b1', digest: { lines: 2 } }]);
  });

  it('leaves out compactions that a fork copied', async () => {
    const copied = JSON.parse(boundaryLine('b1')) as object;
    writeFileSync(path, `${JSON.stringify({ ...copied, forkedFrom: { sessionId: 'parent' } })}\n`);
    expect(await findBoundaries(path)).toEqual([]);
  });

  it('finds compactions of Codex', async () => {
    const line = { timestamp: '2026-03-01T10:00:02.000Z', type: 'compacted', payload: { message: '' } };
    writeFileSync(path, `${JSON.stringify(line)}\n`);
    expect(await findBoundaries(path)).toMatchObject([
      { id: line.timestamp, trigger: null, digest: { lines: 1 } },
    ]);
  });
});

const before = promptLine('Count the ships') + boundaryLine('b1');
const summaryLine = (content: unknown) =>
  `${JSON.stringify({ type: 'user', isCompactSummary: true, message: { role: 'user', content } })}\n`;
const readAfter = (text: string) => {
  writeFileSync(path, before + text);
  return readSummary(path, Buffer.byteLength(before), 'b1');
};

describe('readSummary', () => {
  it.each([
    ['as a text', 'Twelve ships.'],
    ['in parts', [{ type: 'text', text: 'Twelve' }, { type: 'image' }, { type: 'text', text: 'ships.' }]],
  ])('reads a summary that the client writes %s', async (_how, content) => {
    const text = await readAfter(summaryLine(content) + callLine('msg_1', 5));
    expect(text?.replaceAll('\n', ' ').replaceAll('  ', ' ')).toBe('Twelve ships.');
  });

  it('reads a summary after other lines, and on the same line as another value', async () => {
    const others = `not json\n${promptLine('a hook ran').trim()}`;
    expect(await readAfter(others + summaryLine('Twelve ships.'))).toBe('Twelve ships.');
  });

  it('reads a summary after a repeated compaction line, and a summary that mentions such lines', async () => {
    const text = 'I explained the "compacted" line and compact_boundary.';
    expect(await readAfter(boundaryLine('b1') + summaryLine(text))).toBe(text);
  });

  it('returns null if the client has not written a summary yet, or another compaction is first', async () => {
    expect(await readAfter('')).toBeNull();
    expect(await readAfter(summaryLine('Twelve ships.').slice(0, -30))).toBeNull();
    expect(await readAfter(boundaryLine('b2') + summaryLine('of the next one'))).toBeNull();
    expect(await readAfter(promptLine('he said isCompactSummary'))).toBeNull();
  });

  it('returns null if the transcript is missing or a folder', async () => {
    expect(await readSummary(path, 0)).toBeNull();
    expect(await readSummary(folder, 0)).toBeNull();
  });

  it('cuts the summary to the server’s limit, and replaces invalid characters', async () => {
    const text = await readAfter(summaryLine(`a\u0000b\ud800c${'x'.repeat(MAX_SUMMARY)}`));
    expect(text).toHaveLength(MAX_SUMMARY);
    expect(text?.slice(0, 5)).toBe('ab\ufffdcx');
  });
});
