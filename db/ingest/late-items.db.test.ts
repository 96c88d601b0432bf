import { describe, expect, it } from 'vitest';
import { LIMIT_SOURCES } from '../../core/accounting/types';
import { sessionId } from '../../core/identity/session-id';
import type { Item, TurnItem } from '../../core/protocol/items';
import { unpackTurnBits } from '../codes/turn-bits';
import { deleteSession } from '../delete-session';
import { openTestDatabase } from '../testing/test-database';
import {
  deliver,
  EVENING,
  NOON,
  numbered,
  openTestStream,
  orderly,
  outcomesOf,
  readSnapshot,
  rowsOf,
  type Words,
} from './ingest-testing';
import { continueRecomputing } from './refold';

const { sql } = await openTestDatabase();

function turns(count: number, session = 's'): Item[] {
  return numbered(
    Array.from({ length: count }, (_, index): Words => {
      const at = NOON + index * 1_000;
      if (index === 0) return { type: 'session_start', session, at, limit: 1_000_000 };
      if (index % 700 === 699)
        return { type: 'compaction', session, at, trigger: 'auto', state: 'confirmed' };
      return {
        type: 'turn',
        session,
        at,
        call: `c${index}`,
        usage: { input: index % 900, output: 3 },
        contextTokens: index,
      };
    }),
  );
}

describe('a late item', () => {
  it('goes after all stored items, at any time, if its own stream has no later item', async () => {
    const project = 'other stream';
    const one = await openTestStream(sql, { project });
    const two = await openTestStream(sql, { project });
    const turn = (input: number, at: number): Words => ({ type: 'turn', session: 's', at, usage: { input } });
    await deliver(sql, one, numbered([turn(1, NOON + 50)]), EVENING);
    await deliver(sql, two, numbered([turn(2, NOON)]), EVENING);
    expect(await rowsOf(sql, project, 'turns', 'input')).toEqual([{ input: 1 }, { input: 2 }]);
  });

  it('goes before later items of its batch, even if the highest seq of its stream has no row', async () => {
    const project = 'moved highest';
    const turn = (seq: number, call: string): Item => ({
      type: 'turn',
      seq,
      session: 's',
      at: NOON + seq * 1_000,
      call,
      usage: { input: 10 },
    });
    const items = [turn(3, 'a'), turn(4, 'b'), turn(5, 'c'), turn(6, 'a'), turn(7, 'd')];
    const [three, four, five, six, seven] = items as [Item, Item, Item, Item, Item];
    const stream = await openTestStream(sql, { project });
    await deliver(sql, stream, [four], EVENING);
    // Seq 6 no longer has a row, and the next seqs arrive in the wrong order.
    await deliver(sql, stream, [six, three], EVENING);
    await deliver(sql, stream, [seven, five], EVENING);
    expect(await readSnapshot(sql, project)).toEqual(await orderly(sql, items));
  });

  it.each(['up', 'down'] as const)(
    'finds room among its neighbours for any number of late items (%s)',
    async (way) => {
      const project = `crowd ${way}`;
      const stream = await openTestStream(sql, { project });
      const items = turns(130);
      const late = items.slice(20, 110);
      await deliver(sql, stream, [...items.slice(0, 20), ...items.slice(110)], EVENING);
      for (const item of way === 'up' ? late : late.toReversed()) await deliver(sql, stream, [item], EVENING);
      expect(await readSnapshot(sql, project)).toEqual(await orderly(sql, items));
    },
  );

  it('keeps the ids of events, and retracts events that the items no longer cause', async () => {
    const project = 'alerts';
    const stream = await openTestStream(sql, { project });
    const turn = (seq: number, input: number): Item => ({
      type: 'turn',
      seq,
      session: 's',
      at: NOON + seq,
      call: `c${seq}`,
      limit: 1_000,
      usage: { input },
    });
    const events = () =>
      rowsOf<{ kind: string; cause: string; revision: number; retracted: boolean }>(
        sql,
        project,
        'events',
        'kind, cause, revision, retracted',
      );
    await deliver(sql, stream, [turn(1, 100), turn(3, 850), turn(4, 10)], EVENING);
    const before = await events();
    expect(before.map(({ kind, revision }) => [kind, revision])).toEqual([
      ['state_changed', 1],
      ['approaching_redline', 1],
    ]);
    // 100 + 60 + 850: this turn now passes the restart line and the limit. The turn after it causes no event.
    await deliver(sql, stream, [turn(2, 60)], EVENING);
    const after = await events();
    expect(after.map(({ kind, revision, retracted }) => [kind, revision, retracted])).toEqual([
      ['state_changed', 2, false],
      ['approaching_redline', 2, false],
      ['redlined', 1, false],
    ]);
    expect(after[0]?.cause).toBe(before[0]?.cause);
    const boundary: Item = { type: 'clear', seq: 2, session: 's', at: NOON };
    expect(outcomesOf(await deliver(sql, stream, [boundary], EVENING))).toEqual(['refused']);
  });

  it('gives the same pyramid and checkpoints as ordered delivery', async () => {
    const project = 'pyramid';
    const items = turns(4_600);
    const stream = await openTestStream(sql, { project });
    const isLate = (index: number) => index === 1_234 || index === 4_000 || index === 4_590;
    const inTime = items.filter((_, index) => !isLate(index));
    for (let i = 0; i < inTime.length; i += 700)
      await deliver(sql, stream, inTime.slice(i, i + 700), EVENING);
    for (const [index, item] of items.entries()) {
      if (isLate(index)) await deliver(sql, stream, [item], EVENING);
    }
    while (await continueRecomputing(sql));
    const expected = await orderly(sql, items);
    expect(expected.pyramid.length).toBeGreaterThan(300);
    expect(await readSnapshot(sql, project)).toEqual(expected);
  });

  it('leaves a checkpoint close to the end if the last turns are amended often', async () => {
    const project = 'amended end';
    const items = turns(900);
    const stream = await openTestStream(sql, { project });
    await deliver(sql, stream, items, EVENING);
    let grown = items;
    for (let seq = 901; seq < 905; seq += 1) {
      const item = { ...items[899], seq, usage: { input: 899, output: seq } } as Item;
      await deliver(sql, stream, [item], EVENING);
      grown = [...grown, item];
    }
    expect(await rowsOf(sql, project, 'checkpoints', 'near')).toEqual([{ near: true }]);
    expect(await readSnapshot(sql, project)).toEqual(await orderly(sql, grown));
  });
});

describe('the description of a session', () => {
  it('follows the order of its items, not of their arrival', async () => {
    const project = 'words';
    const start = (seq: number, words: Partial<Extract<Item, { type: 'session_start' }>>): Item => ({
      type: 'session_start',
      seq,
      session: 's',
      at: NOON + seq,
      ...words,
    });
    const stream = await openTestStream(sql, { project });
    const items = [
      start(1, { title: 'First', folder: '/a', branch: 'main', previous: 'before' }),
      start(2, { title: 'Second', reason: 'resumed', forkedFrom: 'origin' }),
    ] as const;
    await deliver(sql, stream, [items[1]], EVENING);
    await deliver(sql, stream, [items[0]], EVENING);
    const [row] = await sql`
      select title, folder, branch, previous_id, forked_from_id, started_at from sessions s
      join projects p on p.id = s.project_id where p.name = ${project}`;
    expect(row).toEqual({
      title: 'Second',
      folder: '/a',
      branch: 'main',
      previous_id: sessionId(project, 'before'),
      forked_from_id: sessionId(project, 'origin'),
      started_at: new Date(NOON + 1),
    });
  });

  it('has an end, until a later item resumes the session', async () => {
    const project = 'ends';
    const stream = await openTestStream(sql, { project });
    const items = numbered([
      { type: 'turn', session: 's', at: NOON, usage: { input: 1 } },
      { type: 'session_end', session: 's', at: NOON + 1, reason: 'logout' },
      { type: 'turn', session: 's', at: NOON + 2, usage: { input: 1 } },
    ]);
    const endedAt = async () => {
      const [row] = await sql<{ at: Date | null }[]>`
        select ended_at as at from sessions s join projects p on p.id = s.project_id where p.name = ${project}`;
      return row?.at?.getTime() ?? null;
    };
    await deliver(sql, stream, items.slice(1, 2), EVENING);
    expect(await endedAt()).toBe(NOON + 1);
    await deliver(sql, stream, items.slice(0, 1), EVENING);
    expect(await endedAt()).toBe(NOON + 1);
    await deliver(sql, stream, items.slice(2), EVENING);
    expect(await endedAt()).toBeNull();
    expect((await readSnapshot(sql, project)).events.map(({ kind }) => kind)).toEqual([
      'session_ended',
      'session_started',
    ]);
  });
});

describe('a late item with a long tail behind it', () => {
  it('is folded in slices by the worker, and gives the rows of ordered delivery', async () => {
    const project = 'slices';
    const items = turns(23_000);
    const stream = await openTestStream(sql, { project });
    const late = items[40] as Item;
    const inTime = items.filter((item) => item !== late);
    for (let i = 0; i < 22_000; i += 5_000) {
      await deliver(sql, stream, inTime.slice(i, Math.min(i + 5_000, 22_000)), EVENING);
    }
    expect(await continueRecomputing(sql)).toBeNull();
    expect(outcomesOf(await deliver(sql, stream, [late], EVENING))).toEqual(['stored']);
    const waiting = () => sql`
      select recompute_from is not null as recomputing, turn_count from sessions s
      join projects p on p.id = s.project_id where p.name = ${project}`;
    const [before] = await waiting();
    expect(before).toMatchObject({ recomputing: true });
    // A session with a later item is left out.
    expect(await continueRecomputing(sql, EVENING - 1)).toBeNull();
    const first = await continueRecomputing(sql, EVENING);
    await deliver(sql, stream, inTime.slice(22_000), EVENING);
    expect((await waiting())[0]).toEqual(before);
    let slices = first ? 1 : 0;
    for (let done = await continueRecomputing(sql); done; done = await continueRecomputing(sql)) {
      expect(done.publicId).toBe(first?.publicId);
      slices += 1;
    }
    expect(slices).toBe(12);
    expect(await readSnapshot(sql, project)).toEqual(await orderly(sql, items));
  });
});

it('a session that stays short after a recomputation, and becomes long in the next one, gets its whole pyramid', async () => {
  const items = numbered(
    Array.from({ length: 3_600 }, (_, index): Words => {
      const chain = index % 2 === 1 && index < 3_000 ? { chain: 'sub' } : {};
      const at = NOON + index * 1_000;
      return { type: 'turn', session: 's', at, call: `c${index}`, usage: { input: 1, output: 1 }, ...chain };
    }),
  );
  const stream = await openTestStream(sql, { project: 'grows' });
  const send = (...ranges: [number, number][]) =>
    deliver(
      sql,
      stream,
      ranges.flatMap(([from, to]) => items.slice(from, to)),
      EVENING,
    );
  await send([0, 4], [5, 3_000]);
  await send([4, 5]);
  while (await continueRecomputing(sql));
  await send([3_000, 3_399]);
  await send([3_400, 3_500]);
  await send([3_399, 3_400], [3_500, 3_600]);
  while (await continueRecomputing(sql));
  expect((await readSnapshot(sql, 'grows')).pyramid).toEqual((await orderly(sql, items)).pyramid);
});

describe('a refuted limit', () => {
  const model = 'claude-sonnet-4-5';
  const read = (seq: number, contextTokens: number, more: Partial<TurnItem> = {}): TurnItem => ({
    type: 'turn',
    seq,
    session: 's',
    at: NOON + seq * 1_000,
    call: `c${seq}`,
    model,
    usage: { input: 1 },
    contextTokens,
    ...more,
  });
  const start: Item = { type: 'session_start', seq: 1, session: 's', at: NOON, lens: 'snapshot' };
  const history = [start, read(2, 150_000), read(3, 190_000), read(4, 199_000)];
  const limits = (project: string) =>
    rowsOf<{ limit_tokens: number }>(sql, project, 'turns', 'x.limit_tokens::int as limit_tokens').then(
      (rows) => rows.map(({ limit_tokens }) => limit_tokens),
    );
  const events = (project: string) =>
    rowsOf<{ kind: string; retracted: boolean }>(sql, project, 'events', 'kind, retracted');

  it('is corrected back to its first item, and its false events are retracted', async () => {
    const project = 'refuted';
    const stream = await openTestStream(sql, { project });
    await deliver(sql, stream, history, EVENING);
    expect(await limits(project)).toEqual([200_000, 200_000, 200_000]);
    const before = (await events(project)).filter(({ kind }) => kind !== 'session_started');
    expect(before.map(({ kind }) => kind)).toEqual(['state_changed', 'state_changed', 'approaching_redline']);
    const recorded = await deliver(sql, stream, [read(5, 260_000)], EVENING);
    expect(outcomesOf(recorded)).toEqual(['stored']);
    expect(await limits(project)).toEqual([1_000_000, 1_000_000, 1_000_000, 1_000_000]);
    const after = (await events(project)).filter(({ kind }) => kind !== 'session_started');
    expect(after.map(({ retracted }) => retracted)).toEqual([true, true, true]);
    const [row] = await sql`
      select limit_tokens::int as tokens, limit_source as source, state, pressure from sessions s
      join projects p on p.id = s.project_id where p.name = ${project}`;
    expect(row).toEqual({ tokens: 1_000_000, source: 'learned', state: 'nominal', pressure: 0.26 });
    expect(await readSnapshot(sql, project)).toEqual(await orderly(sql, [...history, read(5, 260_000)]));
  });

  it('emits no false event if the same batch refutes it', async () => {
    const project = 'refuted at once';
    const stream = await openTestStream(sql, { project });
    await deliver(sql, stream, [...history, read(5, 260_000), read(6, 270_000)], EVENING);
    expect((await events(project)).map(({ kind }) => kind)).toEqual(['session_started']);
    expect(await limits(project)).toEqual(Array.from({ length: 5 }, () => 1_000_000));
  });

  it('stays corrected only for the turns after a late change of the model', async () => {
    const project = 'late switch';
    const stream = await openTestStream(sql, { project });
    await deliver(sql, stream, [start, read(2, 150_000), read(4, 199_000), read(5, 260_000)], EVENING);
    await deliver(sql, stream, [read(3, 160_000, { model: 'claude-haiku-4-5' })], EVENING);
    expect(await limits(project)).toEqual([200_000, 200_000, 1_000_000, 1_000_000]);
    await deliver(sql, stream, [read(6, 260_001, { call: 'c3', model: 'claude-haiku-4-5' })], EVENING);
    await deliver(sql, stream, [read(7, 20_000)], EVENING);
    expect((await limits(project)).slice(2, 4)).toEqual([1_000_000, 1_000_000]);
  });

  it('is corrected by the client’s status line, and every statement keeps its source', async () => {
    const project = 'status line';
    const stream = await openTestStream(sql, { project, source: 'hook' });
    const stated = { limit: 1_000_000, limitSource: 'status_line' } as const;
    await deliver(sql, stream, [...history.slice(0, 3), { ...read(5, 199_500), ...stated }], EVENING);
    await deliver(sql, stream, [read(6, 180_000)], EVENING);
    expect(await limits(project)).toEqual(Array.from({ length: 4 }, () => 1_000_000));
    expect((await events(project)).filter(({ retracted }) => !retracted)).toEqual([
      { kind: 'session_started', retracted: false },
    ]);
    const sources = async () => {
      const rows = await rowsOf<{ bits: number }>(sql, project, 'turns', 'x.bits');
      return rows.map(({ bits }) => unpackTurnBits(bits).limitSource);
    };
    expect(await sources()).toEqual(['learned', 'learned', 'status_line', 'status_line']);
    await deliver(sql, stream, history.slice(3), EVENING);
    expect(await sources()).toEqual(['learned', 'learned', 'learned', 'status_line', 'status_line']);
  });

  it('that the client stated is corrected too, and its statement is known to later refolds', async () => {
    const project = 'refuted statement';
    const stream = await openTestStream(sql, { project });
    const stated = { limit: 200_000, limitSource: 'status_line' } as const;
    const items = [
      start,
      ...[150_000, 199_000, 205_000, 219_000, 30_000].map((size, n) => read(n + 2, size, stated)),
    ];
    const late = read(7, 190_000, { ...stated, usage: { input: 190_000, output: 0 } });
    const small = { ...read(8, 20_000), limit: 100_000, limitSource: 'client' } as const;
    await deliver(sql, stream, items, EVENING);
    expect(await limits(project)).toEqual(Array.from({ length: 5 }, () => 1_000_000));
    expect((await events(project)).filter(({ retracted }) => !retracted)).toHaveLength(1);
    await deliver(sql, stream, [small], EVENING);
    await deliver(sql, stream, [late], EVENING);
    await deliver(sql, stream, [read(9, 25_000, { ...stated, limit: 500_000 })], EVENING);
    expect(await limits(project)).toEqual([...Array.from({ length: 7 }, () => 1_000_000), 500_000]);
    const all = [...items, late, small, read(9, 25_000, { ...stated, limit: 500_000 })];
    expect(await readSnapshot(sql, project)).toEqual(await orderly(sql, all));
  });

  it('of the client is stored until no call refutes it, or the session is deleted', async () => {
    const project = 'stored statement';
    const stream = await openTestStream(sql, { project });
    const stated = { limit: 200_000, limitSource: 'status_line' } as const;
    const stored = () =>
      sql`
      select t.runner_time = to_timestamp(${(NOON + 2_000) / 1_000}) as first, l.limit_tokens as tokens, l.source
      from refuted_limits l join sessions s on s.id = l.session_id join projects p on p.id = s.project_id
      left join turns t on t.session_id = l.session_id and t.call_key = l.call_key
      where p.name = ${project} order by t.position`.then((rows) => [...rows]);
    const first = { first: true, tokens: 200_000, source: LIMIT_SOURCES.indexOf('status_line') };
    await deliver(sql, stream, [start, read(2, 150_000, stated)], EVENING);
    expect(await stored()).toEqual([]);
    await deliver(sql, stream, [read(3, 219_000)], EVENING);
    expect(await stored()).toEqual([first]);
    await deliver(sql, stream, [read(4, 160_000, stated), read(5, 30_000)], EVENING);
    expect(await stored()).toEqual([first, { ...first, first: false }]);
    const side = { call: 'c3', scope: 'side', at: NOON + 3_000 } as const;
    await deliver(sql, stream, [read(6, 219_000, side)], EVENING);
    expect(await stored()).toEqual([]);
    expect((await limits(project)).slice(0, 1)).toEqual([200_000]);
    await deliver(sql, stream, [read(7, 230_000)], EVENING);
    expect(await stored()).toEqual([first, { ...first, first: false }]);
    await deliver(sql, stream, [read(8, 150_000, { call: 'c2', usage: { input: 1, output: 9 } })], EVENING);
    expect(await stored()).toEqual([first, { ...first, first: false }]);
    await deleteSession(sql, sessionId(project, 's'));
    expect(await stored()).toEqual([]);
  });

  it('in a long session is corrected by the worker', async () => {
    const project = 'long refuted';
    const long = numbered([
      { type: 'session_start', session: 's', at: NOON, lens: 'snapshot' },
      ...Array.from(
        { length: 10_500 },
        (_, index): Words => ({
          ...read(0, index < 10_499 ? 100_000 + index : 260_000, { at: NOON + index, call: `c${index}` }),
        }),
      ),
    ]);
    const stream = await openTestStream(sql, { project });
    for (let i = 0; i < long.length; i += 2_500)
      await deliver(sql, stream, long.slice(i, i + 2_500), EVENING);
    expect((await limits(project))[0]).toBe(200_000);
    while ((await continueRecomputing(sql)) !== null);
    const all = await limits(project);
    expect([all.length, new Set(all)]).toEqual([10_500, new Set([1_000_000])]);
    expect(await readSnapshot(sql, project)).toMatchObject({
      sessions: [{ recompute_from: null, limit_tokens: 1_000_000, limit_source: 'learned' }],
    });
  });
});
