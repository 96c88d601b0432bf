import { beforeAll, describe, expect, it } from 'vitest';
import { boundaryPlace, PLACE } from '../../core/accounting/boundary-order';
import { type ListSessionsParameters, SESSION_SORTS } from '../../core/api/parameters';
import { livenessOf } from '../../core/identity/liveness';
import { openTestDatabase } from '../testing/test-database';
import { listFilterChoices } from './list-filter-choices';
import { listSessions } from './list-sessions';
import { loadRecentSessions } from './load-session';
import { allPages, createTestFeed, testTurn } from './testing-feed';

const MINUTE = 60_000;
const now = Date.now();
const clock = { nowMs: now, idleAfterMs: 10 * MINUTE };

const { sql } = await openTestDatabase();
beforeAll(async () => {
  const start = { type: 'session_start', lens: 'snapshot', limit: 200_000 } as const;

  const desk = await createTestFeed(sql, { project: 'atlas', runner: 'desk', now: () => now - MINUTE });
  await desk.tell(
    {
      ...start,
      session: 'growing',
      at: now - 11 * MINUTE,
      title: 'Fix 100%_done importer',
      model: 'opus',
      client: 'claude-code',
      clientSessionId: 'c-1',
    },
    ...[120_000, 130_000, 140_000, 150_000, 160_000].map((tokens, i) =>
      testTurn('growing', tokens, { at: now - (10 - i) * MINUTE, model: 'opus' }),
    ),
    { ...start, session: 'over', title: 'Overshot', model: 'sonnet' },
    testTurn('over', 240_000, { model: 'sonnet' }),
    { ...start, session: 'summing' },
    testTurn('summing', 110_000),
    { type: 'compaction', session: 'summing', trigger: 'auto', state: 'pending' },
    { ...start, session: 'summed' },
    testTurn('summed', 15_000),
    { type: 'compaction', session: 'summed', trigger: 'auto', state: 'pending' },
    testTurn('summed', 16_000, { at: now - MINUTE + 1 }),
    { ...start, session: 'fresh', title: 'Just begun', model: 'opus' },
    testTurn('fresh', 20_000, { model: 'opus' }),
    { ...start, session: 'blank' },
    { type: 'session_start', session: 'blind', limit: 200_000 },
    { type: 'turn', session: 'blind', usage: null },
    { ...start, session: 'done' },
    testTurn('done', 190_000),
    { type: 'session_end', session: 'done' },
    { ...start, session: 'restarted' },
    testTurn('restarted', 100_000),
    { type: 'restart', session: 'restarted', client: 'claude-code', clientSessionId: 'c-2' },
    testTurn('restarted', 30_000),
  );
  const earlier = await createTestFeed(sql, {
    project: 'borealis',
    runner: 'lab',
    now: () => now - 60 * MINUTE,
  });
  await earlier.tell({ ...start, session: 'quiet', folder: '/srv/quiet' }, testTurn('quiet', 50_000));
  const past = await createTestFeed(sql, {
    project: 'borealis',
    runner: 'lab',
    source: 'transcript',
    now: () => now,
  });
  await past.tell(
    { ...start, session: 'imported', backfill: true, at: now - 90 * 24 * 60 * MINUTE },
    testTurn('imported', 10_000, { at: now - 90 * 24 * 60 * MINUTE }),
  );
});

async function keys(parameters: ListSessionsParameters): Promise<string[]> {
  const list = await listSessions(sql, parameters, clock);
  expect(list.total).toBe(list.sessions.length);
  return list.sessions.map((session) => session.key);
}

const ALL = [
  'summing',
  'over',
  'growing',
  'restarted',
  'fresh',
  'summed',
  'blank',
  'imported',
  'quiet',
  'blind',
  'done',
];

describe('list of sessions', () => {
  it('is sorted by the next boundary: compacting, over limit, by minutes, too early, unknown, idle, untracked, ended', async () => {
    const list = await keys({});
    expect(list.slice(0, 3)).toEqual(['summing', 'over', 'growing']);
    expect(list.slice(3, 6)).toEqual(['restarted', 'fresh', 'summed']);
    expect(list[6]).toBe('blank');
    expect(new Set(list.slice(7, 9))).toEqual(new Set(['quiet', 'imported']));
    expect(list.slice(9)).toEqual(['blind', 'done']);
  });

  it('sorts as the core does while a session becomes silent', async () => {
    // The turns of `growing` are one minute apart, and the last turn is six minutes old.
    for (const minutes of [-5, -4, 0, 3.9, 4.1, 9, 30]) {
      const at = { ...clock, nowMs: now + minutes * MINUTE, idleAfterMs: 20 * MINUTE };
      const { sessions } = await listSessions(sql, {}, at);
      const places = sessions.map((session) => PLACE[boundaryPlace(session, at.nowMs)]);
      expect(places).toEqual(places.toSorted((a, b) => a - b));
      const growing = sessions.find(({ key }) => key === 'growing');
      const place = growing && boundaryPlace(growing, at.nowMs);
      expect(place).toBe(minutes < 0 ? 'counting' : minutes < 30 ? 'heldNear' : 'idle');
    }
  });

  it('starts with compacting sessions while they count as compacting', async () => {
    for (const minutes of [0, 3.9, 4.1]) {
      const at = { ...clock, nowMs: now + minutes * MINUTE, idleAfterMs: 30 * MINUTE };
      const { sessions } = await listSessions(sql, {}, at);
      const compactingKeys = sessions.filter(({ compacting }) => compacting !== null).map(({ key }) => key);
      expect(compactingKeys).toEqual(minutes < 4 ? ['summing'] : []);
      expect(sessions[0]?.key).toBe(minutes < 4 ? 'summing' : 'over');
    }
  });

  it('lists sessions with an alert before countdowns, as the core does, unless they count down', async () => {
    const named = ['growing', 'quiet', 'fresh', 'done'];
    await sql`
      with rule as (insert into alert_rules (definition) values ('{}') returning id)
      insert into alerts (rule_id, session_id, phase, since, severity, text)
      select rule.id, s.id, 'firing', now(), 'info', '' from rule, sessions s where key = any(${named})`;
    // Here `growing` is not yet silent.
    const at = { ...clock, nowMs: now - 5 * MINUTE };
    const list = () => listSessions(sql, {}, at);
    const { sessions } = await list();
    expect(sessions.slice(0, 5).map(({ key }) => key)).toEqual([
      'summing',
      'over',
      'quiet',
      'fresh',
      'growing',
    ]);
    const places = sessions.map((one) => PLACE[boundaryPlace(one, at.nowMs, named.includes(one.key))]);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    await sql`update alerts set acknowledged_at = now()`;
    expect((await list()).sessions[2]?.key, 'an acknowledged alert changes nothing').toBe('growing');
    await sql`delete from alerts`;
  });

  it('is sorted by pressure, with unknown pressure last in both directions', async () => {
    const desc = await keys({ sort: 'pressure' });
    expect(desc.slice(0, 3)).toEqual(['over', 'done', 'growing']);
    expect(desc.at(-1)).toBe('blank');
    const asc = await keys({ sort: 'pressure', order: 'asc' });
    expect(asc[0]).toBe('blind');
    expect(asc.at(-1)).toBe('blank');
  });

  it('is sorted by rate, continuations, last turn and start', async () => {
    expect((await keys({ sort: 'rate' }))[0]).toBe('growing');
    expect((await keys({ sort: 'continuations' }))[0]).toBe('restarted');
    expect((await keys({ sort: 'lastTurn' })).at(-1)).toBe('blank');
    expect((await keys({ sort: 'lastTurn', order: 'asc' }))[0]).toBe('imported');
    expect((await keys({ sort: 'startedAt', order: 'asc' }))[0]).toBe('imported');
    expect((await keys({ sort: 'used' }))[0]).toBe('over');
  });

  it.each([
    [{ project: ['borealis'] }, ['imported', 'quiet']],
    [{ project: ['borealis', 'atlas'] }, ALL],
    [{ runner: ['lab'] }, ['imported', 'quiet']],
    [{ model: ['sonnet'] }, ['over']],
    [{ state: ['redlined' as const] }, ['over']],
    [{ state: ['untracked' as const, 'unknown' as const] }, ['blind', 'blank']],
    [{ liveness: ['ended' as const] }, ['done']],
    [{ liveness: ['idle' as const] }, ['imported', 'quiet']],
    [{ clientSessionId: 'c-2' }, ['restarted']],
    [{ q: 'overSHOT' }, ['over']],
    [{ q: '/srv/quiet lab' }, ['quiet']],
    [{ q: 'c-1' }, ['growing']],
    [{ q: '100%_' }, ['growing']],
    [{ q: '%' }, ['growing']],
    [{ q: 'nothing-like-this' }, []],
  ])('filtered by %j contains the matches', async (parameters, expected) => {
    expect((await keys(parameters)).sort()).toEqual([...expected].sort());
  });

  it.each(SESSION_SORTS)('sorted by %s contains each session once across all pages', async (sort) => {
    for (const order of ['asc', 'desc'] as const) {
      const whole = await keys({ sort, order });
      const paged = await allPages(async (cursor) => {
        const list = await listSessions(sql, { sort, order, limit: 2, ...cursor }, clock);
        expect(list.total).toBe(ALL.length);
        expect(list.sessions.length).toBeLessThanOrEqual(2);
        return { page: list.sessions.map(({ key }) => key), nextCursor: list.nextCursor };
      });
      expect(paged).toEqual(whole);
      expect([...paged].sort()).toEqual([...ALL].sort());
    }
  });

  it('refuses a cursor of another order, and an invalid cursor', async () => {
    const page = await listSessions(sql, { sort: 'pressure', limit: 1 }, clock);
    const cursor = page.nextCursor ?? '';
    await expect(listSessions(sql, { sort: 'rate', cursor }, clock)).rejects.toThrow(/sorted by pressure/);
    await expect(listSessions(sql, { cursor: 'abc' }, clock)).rejects.toThrow(/cursor/);
    const forged = Buffer.from('{"list":"turns","order":"asc","position":1}').toString('base64url');
    await expect(listSessions(sql, { cursor: forged }, clock)).rejects.toThrow(/another list/);
  });

  it('derives the same liveness as the core', async () => {
    const rows = await loadRecentSessions(sql, 100, clock);
    expect(rows).toHaveLength(ALL.length);
    for (const { session, facts } of rows) {
      const liveness = livenessOf(facts, clock.nowMs, clock.idleAfterMs);
      expect(session.liveness).toBe(liveness);
      expect(await keys({ liveness: [liveness], q: session.key })).toContain(session.key);
    }
    const bound = rows.find(({ session }) => session.key === 'quiet')?.facts.lastActivityAtMs ?? 0;
    for (const nowMs of [bound + clock.idleAfterMs - 1, bound + clock.idleAfterMs]) {
      const list = await listSessions(sql, { q: 'quiet', liveness: ['live'] }, { ...clock, nowMs });
      expect(list.total).toBe(nowMs === bound + clock.idleAfterMs ? 0 : 1);
    }
  });

  it('returns its filter values', async () => {
    expect(await listFilterChoices(sql)).toEqual({
      projects: ['atlas', 'borealis'],
      runners: ['desk', 'lab'],
      models: ['opus', 'sonnet'],
    });
  });
});
