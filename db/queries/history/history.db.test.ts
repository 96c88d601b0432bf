import { beforeAll, describe, expect, it } from 'vitest';
import { sessionId } from '../../../core/identity/session-id';
import { rollUpAll } from '../../history/history-testing';
import { openTestDatabase } from '../../testing/test-database';
import { InvalidParameterError } from '../invalid-parameter-error';
import { createTestFeed } from '../testing-feed';
import { listHistorySessions } from './list-history-sessions';
import { loadHistory } from './load-history';

const HOUR = 3_600_000;
const MINUTE = 60_000;
/** Items happen from noon on, and arrive in the evening from runners with correct clocks. */
const NOON = Date.UTC(2026, 9, 20, 12);
const EVENING = NOON + 8 * HOUR;
const day = { from: NOON, to: NOON + 6 * HOUR };

const { sql } = await openTestDatabase();

beforeAll(async () => {
  const now = () => EVENING;
  const atlas = await createTestFeed(sql, { project: 'atlas', runner: 'desk', now });
  const opus = { model: 'claude-opus-4-1', limit: 200_000 };
  await atlas.tell(
    { type: 'session_start', session: 'one', title: 'One', lens: 'snapshot', at: NOON },
    turn(
      'one',
      NOON + MINUTE,
      { input: 100, output: 10, cacheRead: 300 },
      { ...opus, contextTokens: 50_000 },
    ),
    turn(
      'one',
      NOON + 2 * MINUTE,
      { input: 100, output: 10, cacheRead: 500 },
      { ...opus, contextTokens: 160_000 },
    ),
    { type: 'compaction', session: 'one', trigger: 'auto', state: 'confirmed', at: NOON + 3 * MINUTE },
    turn('one', NOON + 4 * MINUTE, { input: 7, output: 1 }, { ...opus, contextTokens: 150_000 }),
    { type: 'compaction', session: 'one', trigger: 'auto', state: 'confirmed', at: NOON + 5 * MINUTE },
    turn('one', NOON + 3 * HOUR, { input: 5, output: 5 }, { ...opus, contextTokens: 20_000 }),
    // A sub-agent's own reading is not a pressure of its session.
    turn(
      'one',
      NOON + 3 * HOUR,
      { input: 9, output: 0 },
      { model: 'gpt-5', chain: 'a', contextTokens: 390_000 },
    ),
  );
  const borealis = await createTestFeed(sql, { project: 'borealis', runner: 'desk', now });
  await borealis.tell(
    {
      type: 'session_start',
      session: 'two',
      title: 'Two',
      lens: 'cumulative',
      limit: 1_000,
      model: 'gpt-5',
      at: NOON,
    },
    turn('two', NOON + HOUR, { input: 700, output: 250 }, {}),
    { type: 'restart', session: 'two', at: NOON + HOUR + MINUTE },
    turn('two', NOON + HOUR + 2 * MINUTE, { input: 100, output: 0 }, {}),
    turn('two', NOON + HOUR + 2 * MINUTE, { input: 500, output: 0 }, { inherited: true }),
  );
  await rollUpAll(sql);
});

function turn(session: string, at: number, usage: object, changes: object) {
  return { type: 'turn', session, at, usage: { input: 0, ...usage }, ...changes } as const;
}

const load = (parameters: Parameters<typeof loadHistory>[1]) => loadHistory(sql, parameters, EVENING);
const list = (parameters: Parameters<typeof listHistorySessions>[1]) =>
  listHistorySessions(sql, parameters, EVENING);

describe('history', () => {
  it('returns turns, tokens, boundaries, peak and cache share of each bucket with activity', async () => {
    const { points, total, bucket, from, to } = await load({ ...day, bucket: '1h' });
    expect({ bucket, from, to }).toEqual({
      bucket: '1h',
      from: '2026-10-20T12:00:00.000Z',
      to: '2026-10-20T18:00:00.000Z',
    });
    expect(points.map((point) => [point.from.slice(11, 16), point.turns, point.peak])).toEqual([
      ['12:00', 3, 0.8],
      ['13:00', 2, 0.95],
      ['15:00', 2, 0.1],
    ]);
    expect(points[0]).toMatchObject({
      input: 207,
      output: 21,
      cacheRead: 800,
      compactions: 2,
      restarts: 0,
      thrashes: 1,
    });
    expect(points[0]?.cacheShare).toBeCloseTo(800 / 1007, 10);
    expect(points[1]).toMatchObject({ input: 800, output: 250, restarts: 1, compactions: 0, cacheShare: 0 });
    expect(total).toMatchObject({ turns: 7, input: 1021, restarts: 1, compactions: 2, peak: 0.95 });
  });

  it('computes minutes from single turns, with the same sums as hours', async () => {
    const minutes = await load({ from: NOON, to: NOON + HOUR, bucket: '1m' });
    expect(minutes.points.map((point) => [point.from.slice(14, 16), point.turns, point.compactions])).toEqual(
      [
        ['01', 1, 0],
        ['02', 1, 0],
        ['03', 0, 1],
        ['04', 1, 0],
        ['05', 0, 1],
      ],
    );
    const hour = await load({ from: NOON, to: NOON + HOUR, bucket: '1h' });
    expect(minutes.total).toEqual(hour.total);
    const byModel = await load({ ...day, bucket: '5m', by: 'model' });
    const stored = await load({ ...day, bucket: '15m', by: 'model' });
    expect(byModel.groups.map(({ name, total }) => [name, total])).toEqual(
      stored.groups.map(({ name, total }) => [name, total]),
    );
    const filtered = { project: ['borealis'], model: ['gpt-5'] };
    expect((await load({ ...day, ...filtered, bucket: '1m' })).total).toEqual(
      (await load({ ...day, ...filtered, bucket: '1h' })).total,
    );
  });

  it('keeps the last pressure of a session in minutes without a turn, for ten minutes', async () => {
    const from = NOON + 3 * HOUR;
    const { points } = await load({ from: from + 5 * MINUTE, to: from + HOUR, bucket: '1m' });
    expect(points.map((point) => [point.from.slice(14, 16), point.turns, point.peak])).toEqual(
      ['05', '06', '07', '08', '09', '10'].map((minute) => [minute, 0, 0.1]),
    );
  });

  it('groups by project, runner and model; the model of a session applies to turns without a model', async () => {
    const groups = async (by: 'project' | 'runner' | 'model') =>
      (await load({ ...day, by })).groups.map(({ name, project, total }) => [
        name,
        project,
        total.turns,
        total.restarts,
      ]);
    expect(await groups('project')).toEqual([
      ['atlas', null, 5, 0],
      ['borealis', null, 2, 1],
    ]);
    expect(await groups('runner')).toEqual([
      ['desk', 'atlas', 5, 0],
      ['desk', 'borealis', 2, 1],
    ]);
    expect(await groups('model')).toEqual([
      ['claude-opus-4-1', null, 4, 0],
      ['gpt-5', null, 3, 1],
    ]);
  });

  it('returns points for the requested number of groups, those with the most turns', async () => {
    const { groups } = await load({ ...day, by: 'project', groups: 1 });
    expect(groups.map(({ points }) => points === null)).toEqual([false, true]);
    const sum = groups[0]?.points?.reduce((turns, point) => turns + point.turns, 0);
    expect(sum).toBe(groups[0]?.total.turns);
  });

  it('filters by name, and returns nothing for an unknown name', async () => {
    expect((await load({ ...day, project: ['atlas'] })).total.turns).toBe(5);
    expect((await load({ ...day, runner: ['desk'], model: ['gpt-5'] })).total.turns).toBe(3);
    expect((await load({ ...day, project: ['unknown'] })).points).toEqual([]);
    expect(await load({ from: 0, to: NOON - HOUR, bucket: '7d' }).catch((error) => error)).toBeInstanceOf(
      InvalidParameterError,
    );
  });

  it('splits days in the time zone of the viewer', async () => {
    const { points, from } = await load({ ...day, bucket: '1d', zone: 'Pacific/Auckland' });
    // Noon UTC is one o'clock on the next day in Auckland.
    expect(from).toBe('2026-10-20T11:00:00.000Z');
    expect(points.map((point) => [point.from, point.turns])).toEqual([['2026-10-20T11:00:00.000Z', 7]]);
    const western = await load({ from: NOON - 10 * HOUR, to: NOON, bucket: '1d', zone: 'America/New_York' });
    expect([western.from, western.to]).toEqual(['2026-10-19T04:00:00.000Z', '2026-10-21T04:00:00.000Z']);
  });

  it('defaults to the last day, and returns an empty history without activity', async () => {
    const { from, to, bucket, total } = await load({});
    expect([from, to, bucket]).toEqual(['2026-10-19T20:00:00.000Z', '2026-10-20T20:00:00.000Z', '5m']);
    expect(total.turns).toBe(7);
    expect(await load({ from: NOON - 48 * HOUR, to: NOON - 24 * HOUR })).toMatchObject({
      points: [],
      total: { turns: 0, peak: null, cacheShare: null },
    });
  });

  it('refuses too many buckets', async () => {
    await expect(load({ from: NOON - 30 * 24 * HOUR, to: NOON, bucket: '1m' })).rejects.toThrow(
      /more than 2000 buckets/,
    );
  });
});

describe('sessions of a range', () => {
  it('lists sessions with boundaries, the most thrashing first, each with its main event', async () => {
    const { sessions, total } = await list(day);
    expect(total).toBe(2);
    expect(
      sessions.map(({ title, figures }) => [title, figures.thrashes, figures.compactions, figures.restarts]),
    ).toEqual([
      ['One', 1, 2, 0],
      ['Two', 0, 0, 1],
    ]);
    expect(sessions[0]).toMatchObject({
      id: sessionId('atlas', 'one'),
      project: 'atlas',
      figures: { turns: 5, peak: 0.8 },
      mark: { kind: 'thrash', sentence: expect.stringMatching(/^Full again 1 turn after its compaction/) },
    });
    expect(sessions[1]?.mark).toMatchObject({
      kind: 'restart',
      at: '2026-10-20T13:01:00.000Z',
      sentence: null,
    });
  });

  it('counts activity inside the range only', async () => {
    const late = await list({ from: NOON + 2 * HOUR, to: NOON + 6 * HOUR });
    expect(late).toEqual({ sessions: [], total: 0 });
    const early = await list({ from: NOON, to: NOON + HOUR, limit: 1, sort: 'restarts' });
    expect(early.sessions.map(({ title, figures }) => [title, figures.turns])).toEqual([['One', 3]]);
  });
});
