import { describe, expect, it } from 'vitest';
import { stackFlags } from './stack-flags';

const room = { right: 1000, levels: 3, inset: 5 };

describe('stackFlags', () => {
  it('gives notes only the room that boundaries leave', () => {
    const boundary = { id: 'boundary', x: 100, width: 80 };
    const note = { id: 'note', x: 150, width: 80, yields: true };
    const place = (levels: number) =>
      stackFlags([note, boundary], { right: 900, levels, inset: 5 }).map(({ id, level }) => [id, level]);
    expect(place(1)).toEqual([['boundary', 0]]);
    expect(place(2)).toEqual([['boundary', 0]]);
  });

  it('keeps flags that have room on one level', () => {
    const placed = stackFlags(
      [
        { id: 'a', x: 100, width: 80 },
        { id: 'b', x: 300, width: 80 },
      ],
      room,
    );
    expect(placed.map((flag) => flag.level)).toEqual([0, 0]);
  });
  it('raises the earlier of two that touch, so that no pole cuts a text', () => {
    const placed = stackFlags(
      [
        { id: 'a', x: 100, width: 80 },
        { id: 'b', x: 140, width: 80 },
        { id: 'c', x: 180, width: 80 },
      ],
      room,
    );
    expect(placed.map(({ id, level }) => [id, level])).toEqual([
      ['c', 0],
      ['b', 1],
      ['a', 2],
    ]);
  });
  it('turns to the left of its pole at the right edge', () => {
    expect(stackFlags([{ id: 'a', x: 960, width: 80 }], room)[0]).toEqual({
      id: 'a',
      level: 0,
      side: 'left',
    });
  });
  it('leaves out flags that find no level rather than write over others', () => {
    const crowd = Array.from({ length: 40 }, (_, i) => ({ id: String(i), x: 100 + i * 4, width: 80 }));
    const placed = stackFlags(crowd, room);
    expect(placed.length).toBeLessThan(40);
    for (const level of [0, 1, 2]) {
      const spans = placed
        .filter((flag) => flag.level === level)
        .map((flag) => crowd[Number(flag.id)]?.x ?? 0);
      spans.sort((a, b) => a - b);
      for (let i = 1; i < spans.length; i += 1)
        expect((spans[i] ?? 0) - (spans[i - 1] ?? 0)).toBeGreaterThan(80);
    }
  });
});
