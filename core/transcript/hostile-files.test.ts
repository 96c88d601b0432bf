import { describe, expect, it } from 'vitest';
import { ENTRY_KINDS } from '../agents/entry';
import { findPhrase } from './find-phrase';
import { searchPieces } from './search-pieces';
import { createMentions, createNames } from './summary-names';
import {
  answered,
  boundary,
  readAll,
  said,
  summary,
  toLines,
  toolResult,
  toolUse,
} from './testing-transcripts';
import { createTranscriptReader } from './transcript-reader';

const MAX_COMPACTIONS = 2_000;

const kindsIn = (outline: { columns: { kind: number[] } }) =>
  outline.columns.kind.map((kind) => ENTRY_KINDS[kind]);

describe('A line of very many parts', () => {
  it('is read up to a limit, with the number of further parts', () => {
    const { entries } = readAll(
      toLines([said('x'), { ...said(''), message: { content: new Array(5_000).fill({}) } }]),
    );
    expect(entries[1]?.blocks).toHaveLength(1_001);
    expect(entries[1]?.blocks.at(-1)).toMatchObject({ type: 'rest', parts: 4_000 });
  });

  it('has one limit for its parts and the parts within its results', () => {
    const result = (id: string) => ({
      type: 'tool_result',
      tool_use_id: id,
      content: new Array(700).fill({ type: 'text', text: 'x' }),
    });
    const { entries } = readAll(
      toLines([{ ...said(''), message: { content: ['a', 'b', 'c'].map(result) } }]),
    );
    const [first, second, third] = entries[0]?.blocks ?? [];
    expect(first?.type === 'tool_result' && first.content).toHaveLength(700);
    expect(second?.type === 'tool_result' && second.content.at(-1)).toMatchObject({
      type: 'rest',
      parts: 402,
    });
    expect(third).toMatchObject({ type: 'rest', parts: 1 });
    expect(entries[0]?.kind).toBe('tool_result');
  });

  it('can be searched to its end, beyond the limit', () => {
    const parts = Array.from({ length: 3_000 }, (_, i) => ({ type: 'text', text: `part ${i} of many` }));
    const result = {
      type: 'tool_result',
      tool_use_id: 'a',
      content: [
        { type: 'text', text: 'the harbour master' },
        { type: 'image', source: { data: 'aGlkZGVu' } },
      ],
    };
    const { entries } = readAll(toLines([{ ...said(''), message: { content: [...parts, result] } }]));
    const pieces = entries.flatMap((entry) => searchPieces(entry, () => ''));
    const text = pieces.map((piece) => piece.text).join(' ');
    expect(text).toContain('part 999 of many\npart 1000 of many');
    expect(text).toContain('part 2999 of many');
    expect(text).toContain('the harbour master');
    expect(text).not.toContain('aGlkZGVu');
  });

  it('is searched at any nesting beyond the limit', () => {
    let nested: unknown = 'at the very bottom';
    for (let depth = 0; depth < 100_000; depth += 1) nested = [nested];
    const [entry] = readAll(toLines([said('x')])).entries;
    if (!entry) throw new Error('there is no entry');
    const values = [nested, { text: 'beside it' }];
    const pieces = searchPieces({ ...entry, blocks: [{ type: 'rest', parts: 2, values }] }, () => '');
    expect(pieces).toEqual([{ at: 0, text: 'at the very bottom\nbeside it' }]);
  });
});

describe('A file of very many compactions', () => {
  it('lists the first compactions and the last, counts all, and keeps the row of each', () => {
    const many = MAX_COMPACTIONS + 500;
    const { outline, losses } = readAll(
      toLines(Array.from({ length: many }, (_, i) => boundary({ trigger: 'auto', preTokens: i + 1 }))),
    );
    expect(outline.boundaries).toBe(many);
    expect(outline.compactions).toHaveLength(MAX_COMPACTIONS);
    expect(outline.compactions.map(({ preTokens }) => preTokens).slice(-2)).toEqual([
      MAX_COMPACTIONS - 1,
      many,
    ]);
    expect(losses).toHaveLength(MAX_COMPACTIONS);
    expect(losses.at(-1)?.compaction.preTokens).toBe(many);
    expect(kindsIn(outline).every((kind) => kind === 'compaction')).toBe(true);
  });
});

it('rejects a file of more than a million lines', () => {
  const reader = createTranscriptReader('text');
  const readLine = () => reader.take({ line: 0, from: 0, to: 1, bytes: null });
  for (let n = 0; n < 1_000_000; n += 1) readLine();
  expect(readLine).toThrow('it has more than 1000000 entries');
});

it('results without a call, and second results of a call, are not paired', () => {
  const lines = [toolResult('t1', 'first'), toolResult('t1', 'second'), toolResult('nobody', 'third')];
  const { outline } = readAll(toLines([answered(toolUse('t1', 'Read', {})), ...lines]));
  expect(outline.columns.pair).toEqual([1, 0, null, null]);
});

describe('A hostile text', () => {
  it('is searched in linear time, even if the start of the phrase repeats', () => {
    let looks = 0;
    const words = [...new Array<string>(99).fill('a'), 'b'];
    const phrase = new Proxy(words, {
      get(target, name) {
        if (typeof name === 'string' && /^\d+$/.test(name)) looks += 1;
        return Reflect.get(target, name) as unknown;
      },
    });
    const count = 20_000;
    expect(findPhrase(`${'a '.repeat(count)}b`, phrase)).toEqual([[count * 2 - 198, count * 2 + 1]]);
    expect(looks).toBeLessThan(5 * count);
  });

  it('is compared with many names in bounded time', () => {
    const isNamed = createNames('a '.repeat(150_000));
    const asked = Array.from({ length: 2_000 }, (_, i) => `x${i} ${'a '.repeat(149)}`);
    expect(asked.some(isNamed)).toBe(false);
    expect(isNamed('a a a')).toBe(true);
    const isMentioned = createMentions('a b. '.repeat(80_000));
    expect(asked.some(isMentioned)).toBe(false);
  });
});

describe('A very long summary', () => {
  it('is read with its compaction', () => {
    const { losses } = readAll(toLines([said('a'), boundary(), summary('word '.repeat(100_000)), said('b')]));
    expect(losses[0]?.summary?.characters).toBe(500_000);
    expect(losses[0]?.summary?.text.length).toBe(200_000);
  });
});
