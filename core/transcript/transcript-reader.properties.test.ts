import { describe, expect, it } from 'vitest';
import { TRANSCRIPT_FORMATS } from '../agents/clients';
import { fc } from '../testing/property-runs';
import { createEntrySplitter, cutGluedValues, type EntryBytes } from './split-entries';
import {
  answered,
  boundary,
  said,
  split,
  toBytes,
  toLines,
  toolResult,
  toolUse,
} from './testing-transcripts';
import { createTranscriptReader } from './transcript-reader';

const nested = (depth: number): string => `${'{"a":['.repeat(depth)}${']}'.repeat(depth)}`;

/** Parts of real and hostile files. */
const piece = fc.oneof(
  fc.constantFrom(...'\n|\r\n| |{|}|"|\\|\u0000|}{|{"type":"user"}|[1]|null|\uFEFF'.split('|')),
  fc.json().map((text) => `${text}\n`),
  fc
    .constantFrom(
      said('hello'),
      answered(toolUse('t1', 'Read', { file_path: '/a.ts' })),
      toolResult('t1', 'x'),
      boundary(),
    )
    .map((value) => `${JSON.stringify(value)}\n`),
  fc.integer({ min: 1, max: 200 }).map((depth) => `${nested(depth)}\n`),
  fc.string({ unit: 'binary' }),
);
const file = fc.oneof(
  fc.array(piece, { maxLength: 40 }).map((pieces) => toBytes(pieces.join(''))),
  fc.uint8Array({ maxLength: 400 }),
);

/** Reads `bytes` in chunks that end at the given places. */
function readInChunks(bytes: Uint8Array, cuts: readonly number[]): EntryBytes[] {
  const splitter = createEntrySplitter(cutGluedValues);
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  let from = 0;
  const entries = ends.flatMap((end) => {
    const made = splitter.push(bytes.subarray(from, end));
    from = end;
    return made;
  });
  return [...entries, ...splitter.end()];
}

describe('Any file', () => {
  it('has each byte in exactly one entry, in order', () => {
    fc.assert(
      fc.property(file, fc.array(fc.nat(), { maxLength: 6 }), (bytes, cuts) => {
        const entries = readInChunks(bytes, cuts);
        let at = 0;
        for (const entry of entries) {
          expect(entry.from).toBe(at);
          expect(entry.to).toBeGreaterThan(entry.from);
          const own = bytes.subarray(entry.from, entry.to);
          const feed = own.at(-1) === 0x0a ? 1 : 0;
          expect(entry.bytes).toEqual(own.subarray(0, own.length - feed));
          at = entry.to;
        }
        expect(at).toBe(bytes.length);
      }),
    );
  });

  it('is split into the same entries for any chunks', () => {
    fc.assert(
      fc.property(file, fc.array(fc.nat(), { maxLength: 6 }), (bytes, cuts) => {
        expect(readInChunks(bytes, cuts)).toEqual(split(bytes));
      }),
    );
  });

  it('is read in every format without an error, with one outline row per entry', () => {
    fc.assert(
      fc.property(file, fc.constantFrom(...TRANSCRIPT_FORMATS), (bytes, format) => {
        const reader = createTranscriptReader(format);
        const parts = split(bytes);
        for (const [place, part] of parts.entries()) expect(reader.take(part).index).toBe(place);
        const { outline } = reader.finish();
        expect(outline.entries).toBe(parts.length);
        for (const column of Object.values(outline.columns)) expect(column).toHaveLength(parts.length);
        expect(outline.bytes).toBe(bytes.length);
      }),
    );
  });

  it('has calls and results that name each other', () => {
    const ids = fc.constantFrom('a', 'b', 'c');
    const values = fc.array(
      fc.oneof(
        ids.map((id) => answered(toolUse(id, 'Bash', { command: 'ls' }))),
        ids.map((id) => toolResult(id, 'done')),
        fc.constant(said('x')),
      ),
      { maxLength: 20 },
    );
    fc.assert(
      fc.property(values, (lines) => {
        const reader = createTranscriptReader('claude-code');
        for (const part of split(toBytes(toLines(lines)))) reader.take(part);
        const { pair } = reader.finish().outline.columns;
        for (const [entry, other] of pair.entries()) {
          if (typeof other !== 'number') continue;
          // A call is paired with its first result. The pair of any other entry is such a call.
          const back = pair[other];
          expect(back).not.toBeNull();
          if (back !== entry) expect(pair[back as number]).toBe(other);
        }
      }),
    );
  });
});

describe('Hostile lines', () => {
  const kindsOf = (text: string | Uint8Array): (string | undefined)[] => {
    const reader = createTranscriptReader('claude-code');
    return split(typeof text === 'string' ? toBytes(text) : text).map((part) => reader.take(part).entry.kind);
  };

  it('with 100 000 levels of nesting become entries, and later lines are read', () => {
    const deep = `{"type":"user","message":{"content":[${nested(100_000)}]}}`;
    const kinds = kindsOf(toLines([deep, '['.repeat(100_000), said('after')]));
    expect(kinds).toHaveLength(3);
    expect(kinds[1]).toBe('raw');
    expect(kinds[2]).toBe('user');
  });

  it('that are too long become entries without bytes', () => {
    const splitter = createEntrySplitter(cutGluedValues, 100);
    const bytes = toBytes(`{}\n${'x'.repeat(101)}\n{}\n`);
    expect(splitter.push(bytes).map(({ line, from, to, bytes }) => [line, from, to, bytes === null])).toEqual(
      [
        [0, 0, 3, false],
        [1, 3, 105, true],
        [2, 105, 108, false],
      ],
    );
  });

  it('with broken UTF-8 or NUL are shown as they are', () => {
    expect(kindsOf(new Uint8Array([0xff, 0xfe, 0x00, 0x0a, 0xc3, 0x0a]))).toEqual(['raw', 'raw']);
    expect(kindsOf('{"type":"user","message":{"content":"a\\u0000b"},"sessionId":"s"}\n')).toEqual(['user']);
  });

  it('with two values become two entries of one line', () => {
    const text = `${JSON.stringify(said('one'))}${JSON.stringify(said('two'))} \n${JSON.stringify(said('three'))}`;
    expect(split(toBytes(text)).map(({ line }) => line)).toEqual([0, 0, 1]);
    expect(kindsOf(text)).toEqual(['user', 'user', 'user']);
  });

  it('with half a value are raw, and so is the rest after a value', () => {
    expect(kindsOf('{"type":"user"\n{"type":"user","message":{"content":"x"}}{"type":\n')).toEqual([
      'raw',
      'user',
      'raw',
    ]);
  });
});
