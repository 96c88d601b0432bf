import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sessionId } from '../../core/identity/session-id';
import { partitionName } from '../partitions';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { deliver, NOON, numbered, openTestStream, outcomesOf, readSnapshot } from './ingest-testing';
import { SESSIONS_CHANNEL } from './notify';
import { recordDeliveries } from './record-deliveries';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const turn = (session: string, at: number, input: number, output = 0) => ({
  type: 'turn' as const,
  session,
  at,
  usage: { input, output },
});

describe('recording deliveries', () => {
  it('stores deltas and the cumulative values after each turn', async () => {
    const { sql } = database;
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

  it('keeps times of the runner and of the server, and takes the server’s where a live clock is off', async () => {
    const { sql } = database;
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
    // An hour late, right (though the running maximum holds it back), and in the future.
    expect(rows.map(({ chart }) => chart.getTime())).toEqual([now, now, now]);
  });

  it('believes old times of a runner whose clock was right at hello, and of a back-fill', async () => {
    const { sql } = database;
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

  it('refuses a turn whose sum would not be exact, keeps its neighbours, and says that something is missing', async () => {
    const { sql } = database;
    const stream = await openTestStream(sql, { project: 'overflow' });
    const items = numbered([
      turn('big', NOON, 5),
      turn('big', NOON + 1, Number.MAX_SAFE_INTEGER),
      turn('big', NOON + 2, 7),
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
    expect(context).toEqual({ input: 12, complete: false });
    const events = await sql`
      select kind, detail from events e join sessions s on s.id = e.session_id where s.key = 'big'`;
    expect(events).toEqual([
      { kind: 'turns_dropped', detail: { from: 2, to: 2, count: 1, reason: 'refused: sum_overflow' } },
    ]);
    const again = await deliver(sql, stream, items);
    expect(outcomesOf(again)).toEqual(['duplicate', 'refused', 'duplicate']);
    expect(again.touched).toEqual([]);
  });

  it('stores negative counts as reported and counts them as nothing', async () => {
    const { sql } = database;
    const stream = await openTestStream(sql, { project: 'negative' });
    await deliver(sql, stream, numbered([turn('minus', NOON, -5, 10)]));
    const [row] = await sql`
      select input, cumulative_input, cumulative_output from turns t join sessions s on s.id = t.session_id
      where s.key = 'minus'`;
    expect(row).toEqual({ input: -5, cumulative_input: 0, cumulative_output: 10 });
  });

  it('refuses the one item that the database cannot hold, and stores what came with it', async () => {
    const { sql } = database;
    const good = await openTestStream(sql, { project: 'poison', runner: 'good' });
    const bad = await openTestStream(sql, { project: 'poison', runner: 'bad' });
    // Past what validation lets through: a count that no bigint holds.
    const poisoned = numbered([turn('bad', NOON, 1), turn('bad', NOON, 1e300), turn('bad', NOON, 2)]);
    const { outcomes } = await recordDeliveries(
      sql,
      [
        { stream: bad, items: poisoned, receivedAt: NOON },
        { stream: good, items: numbered([turn('good', NOON, 3)]), receivedAt: NOON },
      ],
      { now: NOON },
    );
    expect(outcomes.map((each) => each.map(({ outcome }) => outcome))).toEqual([
      ['stored', 'refused', 'stored'],
      ['stored'],
    ]);
  });

  it('takes any text that JSON can bring', async () => {
    const { sql } = database;
    const stream = await openTestStream(sql, { project: 'text' });
    const session = `half \ud800 and "quoted" {braces}, \\ and 😀`;
    const { outcomes } = await deliver(
      sql,
      stream,
      numbered([
        { type: 'session_start', session, at: NOON, title: 'a\ud800b' },
        {
          type: 'turn',
          session,
          at: NOON,
          call: 'x\udfff',
          model: 'm\ud800',
          chain: 'c,"}\ud800',
          usage: { input: 1 },
        },
      ]),
    );
    expect(outcomes.flat().map(({ outcome }) => outcome)).toEqual(['stored', 'stored']);
    const snapshot = await readSnapshot(sql, 'text');
    expect(snapshot.sessions[0]).toMatchObject({ title: 'a\ufffdb' });
    expect(snapshot.turns[0]).toMatchObject({ model: 'm\ufffd', chain: 'c,"}\ufffd' });
  });

  it('tells other processes which sessions changed, with their versions, when it commits', async () => {
    const { sql } = database;
    const heard: string[] = [];
    const listener = await sql.listen(SESSIONS_CHANNEL, (payload) => heard.push(payload));
    const stream = await openTestStream(sql, { project: 'hints' });
    const items = numbered(Array.from({ length: 300 }, (_, index) => turn(`hint-${index}`, NOON, 1)));
    const { touched } = await deliver(sql, stream, items);
    await expect.poll(() => heard.flatMap((payload) => JSON.parse(payload)).length).toBe(300);
    expect(Math.max(...heard.map((payload) => payload.length))).toBeLessThan(7_900);
    const pairs = new Map(heard.flatMap((payload): [string, number][] => JSON.parse(payload)));
    for (const { publicId, version } of touched) expect(pairs.get(publicId)).toBe(version);
    await listener.unlisten();
  });

  it('keeps what a session owns in the month of its first item, whenever the rest comes', async () => {
    const { sql } = database;
    const stream = await openTestStream(sql, { project: 'months' });
    const at = Date.UTC(2024, 11, 31, 23, 59);
    const items = numbered([
      { type: 'session_start', session: 'year', at, backfill: true },
      turn('year', at, 1),
      turn('year', at + 120_000, 2),
    ]);
    await deliver(sql, stream, items);
    await deliver(sql, stream, [{ ...turn('year', NOON, 3), seq: 4 }]);
    const month = 2024 * 12 + 11;
    const [row] =
      await sql`select count(*)::int as count, sum(input)::int as input from ${sql(partitionName('turns', month))}`;
    expect(row).toEqual({ count: 3, input: 6 });
  });

  it('stores deliveries of many streams in one go, and gives each its outcomes', async () => {
    const { sql } = database;
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

  it('has nothing to do for nothing', async () => {
    expect(await recordDeliveries(database.sql, [], { now: NOON })).toEqual({ outcomes: [], touched: [] });
  });
});
