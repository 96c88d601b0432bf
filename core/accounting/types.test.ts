import { expect, it } from 'vitest';
import { PRESSURE_STATES } from './types';

it('the states go from calm to redlined, and those that say nothing of the pressure come last', () => {
  const states = 'nominal elevated warning critical redlined untracked unknown';
  expect(PRESSURE_STATES.join(' ')).toBe(states);
});
