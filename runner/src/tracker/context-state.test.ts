import { expect, test } from 'vitest';
import { stateOfPercent } from './context-state';

test.each([
  [0, 'nominal'],
  [49.9, 'nominal'],
  [50, 'elevated'],
  [74.9, 'elevated'],
  [75, 'warning'],
  [84.9, 'warning'],
  [85, 'critical'],
  [99.9, 'critical'],
  [100, 'redlined'],
  [250, 'redlined'],
])('%s per cent is %s: bounds are inclusive', (percent, state) => {
  expect(stateOfPercent(percent)).toBe(state);
});

test('lines of its own move the states, and the limit stays the limit', () => {
  const lines = { elevatedPercent: 10, warningPercent: 20, criticalPercent: 30 };
  expect([9, 10, 20, 30, 99, 100].map((percent) => stateOfPercent(percent, lines))).toEqual([
    'nominal',
    'elevated',
    'warning',
    'critical',
    'critical',
    'redlined',
  ]);
});
