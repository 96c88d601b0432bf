import { expect, it } from 'vitest';
import { PRESSURE_STATES } from './types';

it('the states are in order of pressure, with the two states without a pressure last', () => {
  const states = 'nominal elevated warning critical redlined untracked unknown';
  expect(PRESSURE_STATES.join(' ')).toBe(states);
});
