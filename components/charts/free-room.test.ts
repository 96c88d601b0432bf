import { expect, it } from 'vitest';
import { crossings, firstRoom } from './free-room';

const frame = { x: (value: number) => value, y: (value: number) => 100 - value };

it('finds the levels and the steps of a trace that cross a band', () => {
  const rows = {
    ink: [
      { x: 0, y: 10 },
      { x: 20, y: 80 },
      { x: 50, y: 95 },
      { x: 70, y: null },
      { x: 80, y: 5 },
      { x: 90, y: 5 },
    ],
  };
  const band = { from: 15, to: 25 };
  expect(crossings(rows, frame, band)).toEqual([
    { from: 20, to: 20 },
    { from: 20, to: 50 },
    { from: 50, to: 50 },
  ]);
  expect(crossings({}, frame, band)).toEqual([]);
});

it('finds the first room from the left that is wide enough', () => {
  const blocked = [
    { from: 60, to: 70 },
    { from: 20, to: 40 },
  ];
  const within = { from: 0, to: 100 };
  expect(firstRoom(blocked, within, 20)).toBe(0);
  expect(firstRoom(blocked, within, 21)).toBe(70);
  expect(firstRoom(blocked, within, 31)).toBeNull();
  expect(firstRoom([], within, 100)).toBe(0);
});
