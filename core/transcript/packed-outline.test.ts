import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TranscriptOutline } from '../api/transcript-contents';
import { packOutline, unpackOutline } from './packed-outline';

const count = fc.nat({ max: 2 ** 40 });
const column = <T>(values: fc.Arbitrary<T>, length: number) =>
  fc.array(values, { minLength: length, maxLength: length });
const orNull = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null });

const outlines = fc.integer({ min: 0, max: 40 }).chain(
  (entries): fc.Arbitrary<TranscriptOutline> =>
    fc.record({
      id: fc.uuid(),
      state: fc.constant('read' as const),
      reason: orNull(fc.string()),
      readAt: fc.constant('2026-03-01T10:00:00.000Z'),
      format: fc.constantFrom('claude-code' as const, 'codex' as const, 'text' as const),
      bytes: orNull(count),
      lines: orNull(count),
      entries: fc.constant(entries),
      messages: count,
      window: orNull(count),
      secrets: count,
      boundaries: count,
      columns: fc.record({
        kind: column(fc.nat({ max: 11 }), entries),
        line: column(count, entries),
        bytes: column(count, entries),
        at: column(orNull(fc.nat({ max: 4_000_000_000_000 }).map((ms) => ms / 1_000)), entries),
        chain: column(fc.nat({ max: 5_000 }), entries),
        call: column(orNull(count), entries),
        pair: column(orNull(fc.nat({ max: 1_000_000 })), entries),
      }),
      calls: fc.array(
        fc.record({
          entry: count,
          chain: fc.nat({ max: 5_000 }),
          model: orNull(fc.string()),
          input: count,
          output: count,
          cacheRead: count,
          cacheCreation: count,
          contextTokens: count,
        }),
        { maxLength: 20 },
      ),
      chains: fc.constant([{ key: 'main', call: null, entry: 0, entries }]),
      compactions: fc.constant([]),
    }),
);

describe('An outline in few bytes', () => {
  it('is the same outline again', () => {
    fc.assert(
      fc.property(outlines, (outline) => {
        expect(unpackOutline(packOutline(outline))).toEqual(outline);
      }),
    );
  });

  it('takes some ten bytes an entry where its JSON takes many times as much', () => {
    const entries = 1_000;
    const each = <T>(value: (i: number) => T) => Array.from({ length: entries }, (_, i) => value(i));
    const outline: TranscriptOutline = {
      id: 'x',
      state: 'read',
      reason: null,
      readAt: null,
      format: 'claude-code',
      bytes: 1,
      lines: entries,
      entries,
      messages: entries,
      window: 200_000,
      secrets: 0,
      boundaries: 0,
      columns: {
        kind: each((i) => i % 5),
        line: each((i) => i),
        bytes: each((i) => 900 + i),
        at: each((i) => 1_780_000_000 + i * 9.125),
        chain: each(() => 0),
        call: each((i) => i >> 1),
        pair: each((i) => (i % 2 === 0 ? i + 1 : i - 1)),
      },
      calls: [],
      chains: [],
      compactions: [],
    };
    expect(packOutline(outline).length).toBeLessThan(12 * entries);
    expect(JSON.stringify(outline).length).toBeGreaterThan(30 * entries);
  });

  it('is refused where it is cut short, or of another version', () => {
    expect(() => unpackOutline(new Uint8Array([9]))).toThrow('of another version');
    const [whole] = fc.sample(outlines, { numRuns: 1, seed: 3 });
    if (whole === undefined) throw new Error('there is an outline');
    const bytes = packOutline({ ...whole, calls: [], columns: { ...whole.columns } });
    expect(() => unpackOutline(bytes.subarray(0, 1))).toThrow();
  });
});
