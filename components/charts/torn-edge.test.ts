import { describe, expect, it } from 'vitest';
import { hatchPath, tornEdgePath } from './torn-edge';

const edge = (seed: string) => tornEdgePath({ seed, from: 0, to: 392, at: 100, direction: 'vertical' });
const corners = (path: string) =>
  path
    .slice(1)
    .split('L')
    .map((pair) => pair.split(' ').map(Number) as [number, number]);

describe('tornEdgePath', () => {
  it('is the same on every render and another one for another event', () => {
    expect(edge('event-1')).toBe(edge('event-1'));
    expect(edge('event-1')).not.toBe(edge('event-2'));
  });
  it('has teeth of 3 to 7 px that stay within 2.25 px of the edge', () => {
    const points = corners(edge('event-3'));
    for (const [x] of points.slice(0, -1)) {
      expect(Math.abs(x - 100)).toBeGreaterThanOrEqual(0.75);
      expect(Math.abs(x - 100)).toBeLessThanOrEqual(2.25);
    }
    const steps = points.slice(1, -1).map(([, y], i) => y - (points[i]?.[1] ?? 0));
    expect(Math.min(...steps)).toBeGreaterThanOrEqual(2.99);
    expect(Math.max(...steps)).toBeLessThanOrEqual(7.01);
    expect(points.at(-1)?.[1]).toBe(392);
  });
});

describe('hatchPath', () => {
  it('stays inside its box', () => {
    const numbers = [...hatchPath({ x: 96, y: 50, width: 8, height: 40 }).matchAll(/[ML]([\d.]+) ([\d.]+)/g)];
    expect(numbers.length).toBeGreaterThan(10);
    for (const [, x, y] of numbers) {
      expect(Number(x)).toBeGreaterThanOrEqual(96);
      expect(Number(x)).toBeLessThanOrEqual(104);
      expect(Number(y)).toBeGreaterThanOrEqual(50);
      expect(Number(y)).toBeLessThanOrEqual(90);
    }
  });
  it('draws nothing where nothing was freed', () => {
    expect(hatchPath({ x: 0, y: 10, width: 8, height: 0 })).toBe('');
  });
});
