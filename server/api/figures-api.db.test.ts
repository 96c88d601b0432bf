import { afterAll, beforeAll, expect, it } from 'vitest';
import { figures } from '../../core/api/figures';
import { sessionId } from '../../core/identity/session-id';
import { createTestFeed, testTurn } from '../../db/queries/testing-feed';
import { bodyOf, errorOf, startTestApi } from './testing/test-api';

const NOON = Date.parse('2026-03-01T12:00:00Z');
const MINUTE = 60_000;

const now = () => NOON + 60 * MINUTE;
const api = await startTestApi(now);
afterAll(() => api.close());

beforeAll(async () => {
  const feed = await createTestFeed(api.database.sql, { now });
  const at = (minutes: number) => ({ at: NOON + minutes * MINUTE });
  await feed.tell(
    { type: 'session_start', session: 'two', lens: 'snapshot', limit: 200_000, ...at(0) },
    testTurn('two', 40_000, at(1)),
    testTurn('two', 110_000, at(4)),
    testTurn('two', 165_000, at(6)),
    { type: 'compaction', session: 'two', trigger: 'auto', state: 'confirmed', preTokens: 166_000, ...at(7) },
    testTurn('two', 30_000, at(8)),
    testTurn('two', 104_000, at(10)),
    // Turns of a sub-agent do not count.
    testTurn('two', 190_000, { ...at(9), chain: 'agent' }),
  );
});

const id = sessionId('atlas', 'two');
const ask = (query = '') => api.get(`/sessions/${id}/figures${query}`);

it('returns the figures of a session without its sub-agents', async () => {
  const whole = await bodyOf(figures, ask());
  expect(whole).toMatchObject({
    context: null,
    turns: 5,
    contexts: 2,
    compactions: 1,
    restarts: 0,
    endedBy: null,
    limit: 200_000,
    peak: 165_000,
    peakPressure: 0.825,
    newTokensPerTurn: 35,
    firstAt: new Date(NOON + MINUTE).toISOString(),
    lastAt: new Date(NOON + 10 * MINUTE).toISOString(),
    complete: true,
  });
  expect(whole.crossings).toEqual([
    { share: 0.5, turns: 2, minutes: 3, rough: false },
    { share: 0.8, turns: 3, minutes: 5, rough: false },
  ]);
});

it('returns the figures of one context, counted from its first turn', async () => {
  const first = await bodyOf(figures, ask('?context=0'));
  expect(first).toMatchObject({ context: 0, turns: 3, contexts: 1, compactions: 0, endedBy: 'compaction' });
  const second = await bodyOf(figures, ask('?context=1'));
  expect(second).toMatchObject({ context: 1, turns: 2, endedBy: null, peak: 104_000 });
  expect(second.crossings).toEqual([
    { share: 0.5, turns: 2, minutes: 2, rough: false },
    { share: 0.8, turns: null, minutes: null, rough: false },
  ]);
});

it('refuses an unknown context', async () => {
  const refusal = { status: 404, code: 'not_found', field: 'context' };
  expect(await errorOf(ask('?context=2'))).toMatchObject(refusal);
  expect((await ask('?context=-1')).status).toBe(400);
});
