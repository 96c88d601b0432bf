import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MAX_SUMMARY } from '../../../core/transcript/limits';
import { boundaryLine, callLine, promptLine } from '../transcripts/testing/write-transcript';
import { readSummary } from './read-summary';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'summary-'));
  path = join(folder, 't.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true }));

const before = promptLine('Count the ships') + boundaryLine('b1');
const summaryLine = (content: unknown) =>
  `${JSON.stringify({ type: 'user', isCompactSummary: true, message: { role: 'user', content } })}\n`;
const readAfter = (text: string) => {
  writeFileSync(path, before + text);
  return readSummary(path, Buffer.byteLength(before), 'b1');
};

describe('the summary behind a compaction’s line', () => {
  it.each([
    ['as a text', 'Twelve ships.'],
    ['in parts', [{ type: 'text', text: 'Twelve' }, { type: 'image' }, { type: 'text', text: 'ships.' }]],
  ])('is read where the client writes it %s', async (_how, content) => {
    const text = await readAfter(summaryLine(content) + callLine('msg_1', 5));
    expect(text?.replaceAll('\n', ' ').replaceAll('  ', ' ')).toBe('Twelve ships.');
  });

  it('is read where other lines come before it, and one glued to it', async () => {
    expect(
      await readAfter(`not json\n${promptLine('a hook ran').trim()}${summaryLine('Twelve ships.')}`),
    ).toBe('Twelve ships.');
  });

  it('is read where the client wrote the compaction’s line twice, and where it speaks of such lines', async () => {
    const text = 'I explained the "compacted" line and compact_boundary.';
    expect(await readAfter(boundaryLine('b1') + summaryLine(text))).toBe(text);
  });

  it('is none where the client has not written it yet, or another compaction comes first', async () => {
    expect(await readAfter('')).toBeNull();
    expect(await readAfter(summaryLine('Twelve ships.').slice(0, -30))).toBeNull();
    expect(await readAfter(boundaryLine('b2') + summaryLine('of the next one'))).toBeNull();
    expect(await readAfter(promptLine('he said isCompactSummary'))).toBeNull();
  });

  it('is none where the transcript went away or is no file', async () => {
    expect(await readSummary(path, 0)).toBeNull();
    expect(await readSummary(folder, 0)).toBeNull();
  });

  it('is cut to what a server takes, and made storable', async () => {
    const text = await readAfter(summaryLine(`a\u0000b\ud800c${'x'.repeat(MAX_SUMMARY)}`));
    expect(text).toHaveLength(MAX_SUMMARY);
    expect(text?.slice(0, 5)).toBe('ab\ufffdcx');
  });
});
