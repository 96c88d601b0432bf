import { expect, it } from 'vitest';
import { hatchPath, tornEdgePath } from './torn-edge';

const edge = (seed: string) => tornEdgePath({ seed, from: 0, to: 392, at: 100, direction: 'vertical' });
const placesOf = (path: string) =>
  [...path.matchAll(/([\d.]+) ([\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)]);

it('tears the whole edge, with a shape that depends only on the event', () => {
  expect(edge('event-1')).toBe(edge('event-1'));
  expect(edge('event-1')).not.toBe(edge('event-2'));
  const places = placesOf(edge('event-3'));
  for (const [x = 0] of places) expect(Math.abs(x - 100)).toBeLessThanOrEqual(2.25);
  expect(places.at(-1)).toEqual([100, 392]);
});

it('hatches inside its box, and draws nothing if nothing was freed', () => {
  const places = placesOf(hatchPath({ x: 96, y: 50, width: 8, height: 40 }));
  expect(places.length).toBeGreaterThan(20);
  expect(places.every(([x = 0, y = 0]) => x >= 96 && x <= 104 && y >= 50 && y <= 90)).toBe(true);
  expect(hatchPath({ x: 0, y: 10, width: 8, height: 0 })).toBe('');
});
