import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sessionId } from '../../core/identity/session-id';
import { fc, propertyRuns } from '../../core/testing/property-runs';
import { monthAt } from '../partitions';
import { POISON, refusePoison } from '../testing/refuse-poison';
import { createTestDatabase, openTestDatabase, type TestDatabase } from '../testing/test-database';
import {
  deliver,
  failBatches,
  NOON,
  numbered,
  openTestStream,
  outcomesOf,
  readSnapshot,
  rowsOf,
  type Words,
} from './ingest-testing';
import { recordDeliveries } from './record-deliveries';
import type { OpenStream } from './types';

const runs = propertyRuns();

const { sql } = await openTestDatabase();

const turn = (session: string, at: number, input: number, output = 0) => ({
  type: 'turn' as const,
  session,
  at,
  usage: { input, output },
});

describe('items that the database refuses', () => {
  let poisoned: TestDatabase;
  beforeAll(async () => {
    poisoned = await createTestDatabase();
    await refusePoison(poisoned.sql);
  });
  afterAll(() => poisoned.close());

  it('are refused alone, and refused again when resent', async () => {
    const { sql } = poisoned;
    const sent = fc.record({ session: fc.nat(2), isTurn: fc.boolean(), isPoison: fc.boolean() });
    const deliveriesOf = fc.array(fc.array(sent, { minLength: 1, maxLength: 8 }), {
      minLength: 1,
      maxLength: 3,
    });
    const property = fc.asyncProperty(deliveriesOf, async (all) => {
      const project = randomUUID();
      const deliveries = await Promise.all(
        all.map(async (each, index) => ({
          stream: await openTestStream(sql, { project, runner: `r${index}` }),
          receivedAt: NOON,
          items: numbered(
            each.map(({ session: number, isTurn, isPoison }, place): Words => {
              const session = `s${number}`;
              const at = NOON + index * 100 + place;
              if (isTurn) return turn(session, at, isPoison ? POISON : 1);
              return { type: 'restart', session, at, reason: isPoison ? 'poison' : 'pressure' };
            }),
          ),
        })),
      );
      const codesOf = ({ outcomes }: Awaited<ReturnType<typeof recordDeliveries>>) =>
        outcomes.map((each) => each.map((one) => (one.outcome === 'refused' ? one.code : one.outcome)));
      const expected = (good: string) =>
        all.map((each) => each.map(({ isPoison }) => (isPoison ? 'unstorable' : good)));
      expect(codesOf(await recordDeliveries(sql, deliveries, { now: NOON }))).toEqual(expected('stored'));
      expect(codesOf(await recordDeliveries(sql, deliveries, { now: NOON }))).toEqual(expected('duplicate'));
      const { turns, reports } = await readSnapshot(sql, project);
      const isStored = (isTurn: boolean) =>
        all.flat().filter((one) => one.isTurn === isTurn && !one.isPoison).length;
      const gaps = all.flat().filter(({ isTurn, isPoison }) => isTurn && isPoison).length;
      expect([turns.length, reports.length]).toEqual([isStored(true), isStored(false) + gaps]);
    });
    await fc.assert(property, runs(10));
  });

  it('leave a gap in their session if they are turns', async () => {
    const { sql } = poisoned;
    const stream = await openTestStream(sql, { project: 'gap' });
    const items = numbered([turn('gap', NOON, 1), turn('gap', NOON + 1, POISON), turn('gap', NOON + 2, 2)]);
    await deliver(sql, stream, items);
    await deliver(sql, stream, items);
    const { contexts, events } = await readSnapshot(sql, 'gap');
    expect(contexts).toMatchObject([{ columns: { input: 3, complete: false } }]);
    const detail = { from: 2, to: 2, count: 1, reason: 'refused: unstorable' };
    expect(events).toMatchObject([{ kind: 'turns_dropped', detail }]);
  });

  it('are refused without a gap if the session cannot have the turn’s chain', async () => {
    const { sql } = poisoned;
    const stream = await openTestStream(sql, { project: 'chains' });
    await deliver(sql, stream, numbered([turn('chains', NOON, 1)]));
    await sql`update sessions set chain_count = 32768 where key = 'chains'`;
    const items = numbered(
      [{ ...turn('chains', NOON + 1, 1), chain: 'one' }, turn('chains', NOON + 2, 1)],
      2,
    );
    expect(outcomesOf(await deliver(sql, stream, items))).toEqual(['refused', 'stored']);
  });
});

it('finds the stored calls of sessions from several months in one batch, by each of their ids', async () => {
  const months = [0, 1, 40].map((ago) => NOON - ago * 31 * 86_400_000);
  const calls = (ids: string[]) =>
    numbered(months.map((at, n) => ({ ...turn(`month ${n}`, at, 1), call: ids.map((id) => `${id} ${n}`) })));
  for (const [runner, ids] of [
    ['one', ['a', 'b']],
    ['two', ['b']],
    ['three', ['a', 'c']],
  ] as const) {
    const stream = await openTestStream(sql, { project: 'several months', runner });
    await recordDeliveries(sql, [{ stream, items: calls([...ids]), receivedAt: NOON, clockAgrees: true }], {
      now: NOON,
    });
  }
  const rows = await rowsOf<{ key: string }>(sql, 'several months', 'turns', 's.key');
  expect(rows.map(({ key }) => key).sort()).toEqual(['month 0', 'month 1', 'month 2']);
});

describe('deliveries that would delay those of other senders', () => {
  it('are left out if their sender opens a session in a month without partitions', async () => {
    const send = async (runner: string, session: string, at: number) => ({
      stream: await openTestStream(sql, { project: 'months', runner }),
      items: numbered([turn(session, at, 1)]),
      receivedAt: NOON,
      clockAgrees: true,
    });
    const old = NOON - 1_000 * 86_400_000;
    const both = [await send('a', 'first of its month', old), await send('b', 'of this month', NOON)];
    const { deferred, outcomes } = await recordDeliveries(sql, both, { now: NOON, defers: true });
    expect([deferred, outcomes]).toEqual([new Set([0]), [[], [{ outcome: 'stored' }]]]);
    expect(outcomesOf(await recordDeliveries(sql, both.slice(0, 1), { now: NOON }))).toEqual(['stored']);
    const next = [await send('a', 'second of its month', old)];
    expect((await recordDeliveries(sql, next, { now: NOON, defers: true })).deferred).toEqual(new Set());
  });

  it('are left out if they change the start of a long session', async () => {
    const [late, other] = [
      await openTestStream(sql, { project: 'long', runner: 'late' }),
      await openTestStream(sql, { project: 'long', runner: 'other' }),
    ];
    const turns = Array.from({ length: 1_100 }, (_, index) => turn('long', NOON + index, 1));
    await deliver(sql, late, numbered(turns, 10));
    const send = (stream: OpenStream, seq: number, session: string) => ({
      stream,
      items: numbered([turn(session, NOON, 1)], seq),
      receivedAt: NOON,
    });
    const both = [send(late, 1, 'long'), send(other, 1, 'short')];
    const { deferred, outcomes } = await recordDeliveries(sql, both, { now: NOON, defers: true });
    expect([deferred, outcomes]).toEqual([new Set([0]), [[], [{ outcome: 'stored' }]]]);
    const end = [both[0] as (typeof both)[0], send(other, 2, 'long')];
    expect((await recordDeliveries(sql, end, { now: NOON, defers: true })).deferred).toEqual(new Set([0]));
    expect(outcomesOf(await recordDeliveries(sql, both.slice(0, 1), { now: NOON }))).toEqual(['stored']);
    // The end of the session is near.
    await deliver(sql, late, numbered([turn('long', NOON, 1)], 1_112));
    expect(
      (await recordDeliveries(sql, [send(late, 1_111, 'long')], { now: NOON, defers: true })).deferred,
    ).toEqual(new Set());
  });

  it('are known by the many holes of their stream, and their seqs are still unique', async () => {
    const stream = await openTestStream(sql, { project: 'holes' });
    await deliver(sql, stream, numbered([turn('holes', NOON, 1)]));
    expect(stream.isCostly).toBe(false);
    await sql`
      update streams set received = (select range_agg(int8range(n, n + 1)) from generate_series(1, 30_000, 10) n)
      where id = ${stream.streamId}`;
    const items = numbered([turn('holes', NOON, 1), turn('holes', NOON + 1, 1)]);
    expect(outcomesOf(await deliver(sql, stream, items))).toEqual(['duplicate', 'stored']);
    expect(outcomesOf(await deliver(sql, stream, items))).toEqual(['duplicate', 'duplicate']);
    expect(stream.isCostly).toBe(true);
  });
});

describe('a batch that conflicts with another transaction', () => {
  it.each(['40P01', '40001'])('is retried after %s, and no item is refused', async (code) => {
    const stream = await openTestStream(sql, { project: `retried ${code}` });
    const stop = await failBatches(sql, code, 2);
    const items = numbered([turn('retried', NOON, 1), turn('retried', NOON + 1, 2)]);
    expect(outcomesOf(await deliver(sql, stream, items))).toEqual(['stored', 'stored']);
    await stop();
  });

  it('throws when each attempt fails, and stores its items when they are resent', async () => {
    const stream = await openTestStream(sql, { project: 'given back' });
    const stop = await failBatches(sql, '40P01', 1_000);
    const items = numbered([turn('given back', NOON, 1), turn('given back', NOON + 1, 2)]);
    await expect(deliver(sql, stream, items)).rejects.toMatchObject({ code: '40P01' });
    await stop();
    expect(outcomesOf(await deliver(sql, stream, items))).toEqual(['stored', 'stored']);
  });
});

describe('the contexts of a chain', () => {
  const refusal = { outcome: 'refused', code: 'unstorable', reason: 'a chain has at most 32768 contexts' };
  const clear = (at: number) => ({ type: 'clear' as const, session: 'cleared', at });

  it('are limited: a boundary beyond the limit is refused, even if late, and its neighbours are stored', async () => {
    const stream = await openTestStream(sql, { project: 'bound' });
    const first = numbered([turn('cleared', NOON, 1), turn('cleared', NOON + 2, 1)], 1).map(
      (item, index) => ({ ...item, seq: index * 2 + 1 }),
    );
    await deliver(sql, stream, first);
    await sql`
      update chains set fold = jsonb_set(fold::jsonb, '{context,index}', '32766')::json
      where session_id = (select id from sessions where key = 'cleared')`;
    const next = numbered(
      [clear(NOON + 3), turn('cleared', NOON + 4, 2), clear(NOON + 5), turn('cleared', NOON + 6, 3)],
      4,
    );
    const onTime = await deliver(sql, stream, next);
    expect(outcomesOf(onTime)).toEqual(['stored', 'stored', 'refused', 'stored']);
    expect(onTime.outcomes[0]?.[2]).toMatchObject(refusal);
    const late = await deliver(sql, stream, [{ ...clear(NOON + 1), seq: 2 }]);
    expect(late.outcomes).toMatchObject([[refusal]]);
    const rows = await sql`
      select context, cumulative_input as sum from turns t join sessions s on s.id = t.session_id
      where s.key = 'cleared' order by position`;
    expect(rows.slice(2)).toEqual([
      { context: 32_767, sum: 2 },
      { context: 32_767, sum: 5 },
    ]);
  });
});

describe('recording deliveries', () => {
  it('stores deltas and the cumulative values after each turn', async () => {
    const stream = await openTestStream(sql, { project: 'sums' });
    const session = 'first';
    const recorded = await deliver(
      sql,
      stream,
      numbered([
        { type: 'session_start', session, at: NOON, limit: 10_000, title: 'First' },
        { type: 'turn', session, at: NOON + 1_000, usage: { input: 500, output: 1_000, cacheRead: 10_000 } },
        { type: 'turn', session, at: NOON + 2_000, usage: { input: 600, output: 1_200, cacheRead: 20_000 } },
      ]),
    );
    expect(outcomesOf(recorded)).toEqual(['stored', 'stored', 'stored']);
    const [row] = await sql`
      select title, used, pressure, turn_count, version, last_turn_at from sessions where key = ${session}`;
    expect(row).toMatchObject({ title: 'First', used: 3_300, pressure: 0.33, turn_count: 2, version: 2 });
    expect(recorded.touched).toEqual([
      { id: expect.any(Number), publicId: sessionId('sums', session), version: 2 },
    ]);
    const turns = await sql`
      select input, output, cache_read, cumulative_input as ci, cumulative_output as co, cumulative_cache_read as cr
      from turns t join sessions s on s.id = t.session_id where s.key = ${session} order by position`;
    expect(turns).toEqual([
      { input: 500, output: 1_000, cache_read: 10_000, ci: 500, co: 1_000, cr: 10_000 },
      { input: 600, output: 1_200, cache_read: 20_000, ci: 1_100, co: 2_200, cr: 30_000 },
    ]);
  });

  it('keeps runner and server times, and uses the server’s if a live clock is off', async () => {
    const stream = await openTestStream(sql, { project: 'clocks' });
    const now = NOON + 3_600_000;
    const items = numbered([
      turn('clock', NOON, 1),
      turn('clock', now - 1_000, 1),
      turn('clock', now + 60_000, 1),
    ]);
    await recordDeliveries(sql, [{ stream, items, receivedAt: now }], { now });
    const rows = await sql<{ runner: Date; server: Date; chart: Date }[]>`
      select runner_time as runner, server_time as server, chart_time as chart
      from turns t join sessions s on s.id = t.session_id where s.key = 'clock' order by position`;
    expect(rows.map(({ runner }) => runner.getTime())).toEqual(items.map(({ at }) => at));
    expect(rows.map(({ server }) => server.getTime())).toEqual([now, now, now]);
    // The clocks were an hour late, correct, and in the future. The running maximum raises the second time.
    expect(rows.map(({ chart }) => chart.getTime())).toEqual([now, now, now]);
  });

  it('trusts old times of a back-fill, and of a runner with a correct clock at hello', async () => {
    const stream = await openTestStream(sql, { project: 'queued' });
    const now = NOON + 3_600_000;
    await recordDeliveries(
      sql,
      [{ stream, items: numbered([turn('queued', NOON, 1)]), receivedAt: now, clockAgrees: true }],
      { now },
    );
    const old = await openTestStream(sql, { project: 'queued', runner: 'importer' });
    const items = numbered([
      { type: 'session_start', session: 'old', at: NOON - 9e9, backfill: true },
      turn('old', NOON - 9e9, 1),
    ]);
    await recordDeliveries(sql, [{ stream: old, items, receivedAt: now }], { now });
    const rows = await sql<{ key: string; chart: Date }[]>`
      select s.key, chart_time as chart from turns t join sessions s on s.id = t.session_id
      where s.key in ('queued', 'old') order by 1`;
    expect(rows.map(({ chart }) => chart.getTime())).toEqual([NOON - 9e9, NOON]);
  });

  it('refuses a turn that makes a sum inexact, keeps its neighbours, and marks sums as a lower bound', async () => {
    const stream = await openTestStream(sql, { project: 'overflow' });
    const items = numbered([
      turn('big', NOON, 5),
      turn('big', NOON + 1, Number.MAX_SAFE_INTEGER),
      turn('big', NOON + 2, Number.MAX_SAFE_INTEGER - 5),
    ]);
    const { outcomes } = await deliver(sql, stream, items);
    expect(outcomes[0]?.[1]).toMatchObject({
      outcome: 'refused',
      code: 'sum_overflow',
      field: 'usage.input',
    });
    expect(outcomes.flat().map(({ outcome }) => outcome)).toEqual(['stored', 'refused', 'stored']);
    const [context] = await sql`
      select c.input, complete from contexts c join sessions s on s.id = c.session_id where s.key = 'big'`;
    expect(context).toEqual({ input: Number.MAX_SAFE_INTEGER, complete: false });
    const events = await sql`
      select kind, detail from events e join sessions s on s.id = e.session_id
      where s.key = 'big' and kind = 'turns_dropped'`;
    expect(events).toEqual([
      { kind: 'turns_dropped', detail: { from: 2, to: 2, count: 1, reason: 'refused: sum_overflow' } },
    ]);
    const again = await deliver(sql, stream, items);
    expect(outcomesOf(again)).toEqual(['duplicate', 'refused', 'duplicate']);
    expect(again.touched).toEqual([]);
  });

  it('stores negative counts as reported and counts them as 0', async () => {
    const stream = await openTestStream(sql, { project: 'negative' });
    await deliver(sql, stream, numbered([turn('minus', NOON, -5, 10)]));
    const [row] = await sql`
      select input, cumulative_input, cumulative_output from turns t join sessions s on s.id = t.session_id
      where s.key = 'minus'`;
    expect(row).toEqual({ input: -5, cumulative_input: 0, cumulative_output: 10 });
  });

  it('stores names with quotes, braces and pairs of surrogates', async () => {
    const stream = await openTestStream(sql, { project: 'text' });
    const session = 'a "quoted" {braces}, \\ and 😀';
    const call: Words = { type: 'turn', session, at: NOON, call: 'x', model: '"m"', chain: 'c,"}' };
    expect(outcomesOf(await deliver(sql, stream, numbered([call])))).toEqual(['stored']);
    const snapshot = await readSnapshot(sql, 'text');
    expect(snapshot.turns[0]).toMatchObject({ session, model: '"m"', chain: 'c,"}' });
  });

  it('notifies other processes of changed sessions and their versions at the commit', async () => {
    const heard: string[] = [];
    const listener = await sql.listen('barograph_sessions', (payload) => heard.push(payload));
    const stream = await openTestStream(sql, { project: 'hints' });
    const items = numbered(Array.from({ length: 300 }, (_, index) => turn(`hint-${index}`, NOON, 1)));
    const { touched } = await deliver(sql, stream, items);
    await expect.poll(() => heard.flatMap((payload) => JSON.parse(payload)).length).toBe(300);
    expect(Math.max(...heard.map((payload) => payload.length))).toBeLessThan(7_900);
    const pairs = new Map(heard.flatMap((payload): [string, number][] => JSON.parse(payload)));
    for (const { publicId, version } of touched) expect(pairs.get(publicId)).toBe(version);
    await listener.unlisten();
  });

  it('stores a session in the month of its first item, whenever its other items arrive', async () => {
    const stream = await openTestStream(sql, { project: 'months' });
    const at = Date.UTC(2024, 11, 31, 23, 59);
    const items = numbered([
      { type: 'session_start', session: 'year', at, backfill: true },
      turn('year', at, 1),
      turn('year', at + 120_000, 2),
    ]);
    await deliver(sql, stream, items);
    await deliver(sql, stream, [{ ...turn('year', NOON, 3), seq: 4 }]);
    const month = monthAt(Date.UTC(2024, 11), NOON);
    const [row] =
      await sql`select count(*)::int as count, sum(input)::int as input from ${sql(`turns_m${month}`)}`;
    expect(row).toEqual({ count: 3, input: 6 });
  });

  it('stores deliveries of many streams together, and returns the outcomes of each', async () => {
    const streams = await Promise.all(
      Array.from({ length: 20 }, (_, index) => openTestStream(sql, { project: 'many', runner: `r${index}` })),
    );
    const deliveries = streams.map((stream, index) => ({
      stream,
      items: numbered([turn(`s${index % 7}`, NOON, 1), turn(`s${index % 5}`, NOON, 2)]),
      receivedAt: NOON,
    }));
    const { outcomes, touched } = await recordDeliveries(sql, deliveries, { now: NOON });
    expect(
      outcomes.every((each) => each.length === 2 && each.every(({ outcome }) => outcome === 'stored')),
    ).toBe(true);
    expect(touched).toHaveLength(7);
    const [row] = await sql`
      select sum(turn_count)::int as turns from sessions s join projects p on p.id = s.project_id where p.name = 'many'`;
    expect(row).toEqual({ turns: 40 });
  });
});
