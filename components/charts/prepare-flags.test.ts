import { describe, expect, it } from 'vitest';
import { prepareFlags } from './prepare-flags';
import { boundaryOf } from './series-fixture';

const compacted = { before: 172_000, after: 41_000, read: 166_000 };
const at = (x: number, fields: Parameters<typeof boundaryOf>[0]) => ({
  boundary: boundaryOf({ id: `at-${x}`, ...fields }),
  x,
  size: 'full' as const,
});
const words = (marks: Parameters<typeof prepareFlags>[0], right = 1_200) =>
  prepareFlags(marks, [], { right, levels: 2, inset: 5 }).map(({ text, note }) =>
    `${text} ${note}`.replaceAll('\u00a0', ' '),
  );

describe('the flags of boundaries', () => {
  it('say whose count the size before a compaction is, where the last turn had another', () => {
    expect(words([at(100, compacted)])).toEqual(['172 k → 41 k auto, client’s count']);
    expect(words([at(100, { ...compacted, read: null })])).toEqual(['172 k → 41 k auto']);
  });

  it('keep to the figures where the words would cost another flag its place', () => {
    const marks = [100, 260, 420].map((x) => at(x, compacted));
    expect(words(marks)).toEqual(Array(3).fill('172 k → 41 k auto'));
  });

  it('name the context that a restart begins by its number', () => {
    expect(words([at(100, { kind: 'restart', contextAfter: 3 })])).toEqual(['context 3 restart']);
  });
});
