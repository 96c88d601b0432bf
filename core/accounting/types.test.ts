import { expect, it } from 'vitest';
import { PRESSURE_STATES } from './types';

it('the states are in order of pressure, the two without one last', () => {
  const states = 'nominal elevated warning critical redlined untracked unknown';
  expect(PRESSURE_STATES.join(' ')).toBe(states);
});
