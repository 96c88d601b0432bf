import { describe, expect, it } from 'vitest';
import {
  hasRoomFor,
  isConcerning,
  needsReset,
  pressureOf,
  stateOf,
  tokensAt,
  tokensRemaining,
  tokensUntil,
} from '../accounting/state';
import { DEFAULT_THRESHOLDS } from '../accounting/thresholds';
import { refuseUnknownSettings, UnknownSettingError } from '../settings/refuse-unknown-settings';
import settingsVectors from './settings.json';
import statesVectors from './states.json';
import { casesOf, type StateExpectation, type VectorCase } from './vector-testing';

type StateCase = VectorCase<{ used: number | null; limit: number }, never, StateExpectation>;
type SettingCase = VectorCase<
  { setting: string; known: string[] },
  never,
  { begins: string; nearest: string }
>;

describe('pressure and state agree with the vectors', () => {
  const cases = casesOf<StateCase>(statesVectors);

  it.each(cases.map((one) => [one.name, one] as const))(
    '%s',
    (_name, { given: { used, limit }, expect: e }) => {
      const pressure = pressureOf(used, limit);
      expect(pressure).toBe(e.pressure);
      if (pressure !== null) expect(pressure * 100).toBeCloseTo(e.percent ?? Number.NaN, 9);
      const state = stateOf(pressure, DEFAULT_THRESHOLDS);
      expect([state, isConcerning(state), needsReset(state)]).toEqual([e.state, e.concerning, e.needsReset]);
      if (used === null) return;
      const { warning, restartLine } = DEFAULT_THRESHOLDS;
      expect(tokensRemaining(limit, used)).toBe(e.tokensRemaining);
      expect(tokensUntil(warning, limit, used)).toBe(e.tokensUntilWarning);
      expect(tokensUntil(restartLine, limit, used)).toBe(e.tokensUntilRestart);
      for (const room of e.hasRoomFor ?? []) expect(hasRoomFor(room.tokens, limit, used)).toBe(room.expect);
      for (const { line, ...figures } of e.lines ?? []) {
        expect({ tokensAt: tokensAt(line, limit), tokensUntil: tokensUntil(line, limit, used) }).toEqual(
          figures,
        );
      }
    },
  );
});

describe('the message for an unknown setting agrees with the vectors', () => {
  it.each(casesOf<SettingCase>(settingsVectors).map((one) => [one.name, one] as const))(
    '%s',
    (_name, { given: { setting, known }, expect: { begins, nearest } }) => {
      const refuse = () => refuseUnknownSettings({ [setting]: true }, known);
      expect(refuse).toThrow(UnknownSettingError);
      expect(refuse).toThrow(begins);
      expect(refuse).toThrow(`"${nearest}"`);
    },
  );
});
