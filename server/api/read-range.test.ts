import { describe, expect, it } from 'vitest';
import { readRange } from './read-range';

describe('a Range header', () => {
  it.each([
    ['bytes=0-0', { from: 0, to: 1 }],
    ['bytes=10-19', { from: 10, to: 20 }],
    ['bytes=90-', { from: 90, to: 100 }],
    ['bytes=90-1000', { from: 90, to: 100 }],
    ['bytes=-5', { from: 95, to: 100 }],
    ['bytes=-500', { from: 0, to: 100 }],
  ])('%s of 100 bytes asks for %j', (header, range) => {
    expect(readRange(header, 100)).toEqual(range);
  });

  it.each([undefined, '', 'bytes=', 'bytes=-', 'bytes=5-4', 'bytes=0-1,5-6', 'lines=0-1', 'bytes=a-b'])(
    '%s asks for the whole',
    (header) => {
      expect(readRange(header, 100)).toBeNull();
    },
  );

  it.each(['bytes=100-', 'bytes=100-200', 'bytes=-0'])('%s of 100 bytes cannot be answered', (header) => {
    expect(readRange(header, 100)).toBe('unsatisfiable');
  });

  it('of an empty file cannot be answered', () => {
    expect(readRange('bytes=0-', 0)).toBe('unsatisfiable');
  });
});
