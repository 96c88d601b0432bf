/** History depends only on the stored rows, not on their order of arrival or the number of roll-ups. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { sessionId } from '../../core/identity/session-id';
import type { Item } from '../../core/protocol/items';
import { fc, propertyRuns } from '../../core/testing/property-runs';
import { deleteSession } from '../delete-session';
import { cuts, itemsOf, pieces } from '../ingest/arbitrary-items.fixture';
import { deliver, NOON, numbered, openTestStream, type Words } from '../ingest/ingest-testing';
import { openTestDatabase } from '../testing/test-database';
import { transact } from '../transact';
import { BUCKET_MS } from './history-entries';
import { countAnew, readHistory, rollUpAll } from './history-testing';
import { rollUpHistory } from './roll-up';

const runs = propertyRuns();

const { sql } = await openTestDatabase();

const SESSIONS = ['a', 'b'];
const EVENING = NOON + 12 * 3_600_000;

/** Spreads items over several hours, so that each session has many buckets. */
function stretched(items: readonly Item[]): Item[] {
  return items.map((item) => ({ ...item, at: NOON + (item.at - NOON) * 40 }));
}

describe('the roll-up', () => {
  it('gives the result of a full count after any number of runs', async () => {
    const scenario = itemsOf(SESSIONS, 40).chain((items) =>
      fc.record({
        items: fc.constant(stretched(items)),
        shuffled: fc.shuffledSubarray(stretched([...items, ...items]), { minLength: items.length * 2 }),
        isOrderly: fc.boolean(),
        at: cuts,
      }),
    );
    await fc.assert(
      fc.asyncProperty(scenario, async ({ items, shuffled, isOrderly, at }) => {
        const project = randomUUID();
        const stream = await openTestStream(sql, { project });
        for (const piece of pieces(isOrderly ? items : shuffled, at)) {
          await deliver(sql, stream, piece, EVENING);
          await rollUpAll(sql);
        }
        const followed = await readHistory(sql, project);
        await countAnew(sql, project);
        expect(followed).toEqual(await readHistory(sql, project));
        expect(followed.cells).toEqual(followed.summed);
      }),
      runs(60),
    );
  });

  it('counts reports, peaks of the session’s lens and boundaries in the bucket of their time', async () => {
    const { project, tell } = await story();
    await tell(
      start({ lens: 'snapshot' }),
      turn(0, { input: 10, output: 5, cacheRead: 3 }, { contextTokens: 50_000 }),
      turn(0, { input: -4, output: 1 }, { contextTokens: 80_000, scope: 'side' }),
      turn(1, { input: 1 }, { contextTokens: 90_000, inherited: true }),
      { type: 'compaction', session: 'a', trigger: 'auto', state: 'pending', at: NOON + 2 * QUARTER },
    );
    await rollUpAll(sql);
    expect(await rowsOf(project)).toEqual([[0, 'm1', 2, 10, 6, 0.5, 0, 0]]);
    // This second item confirms the earlier event.
    await tell({
      type: 'compaction',
      session: 'a',
      trigger: 'auto',
      state: 'confirmed',
      at: NOON + 2 * QUARTER,
    });
    await rollUpAll(sql);
    expect(await rowsOf(project)).toEqual([
      [0, 'm1', 2, 10, 6, 0.5, 0, 0],
      [2, 'm1', 0, 0, 0, null, 1, 0],
    ]);
  });

  it('keeps the last pressure while the session is live without a turn of its main chain', async () => {
    const { project, tell } = await story();
    const agent = { chain: 'agent-a', contextTokens: 1_000 };
    await tell(
      start({ lens: 'snapshot' }),
      turn(0, { input: 1 }, { contextTokens: 120_000 }),
      turn(1, { input: 2 }, agent),
      { ...turn(4, { input: 3 }, agent), at: NOON + 5 * QUARTER - 540_000 },
    );
    await rollUpAll(sql);
    const peaks = async () =>
      (await rowsOf(project)).map(([bucket, , turns, , , peak]) => [bucket, turns, peak]);
    // The last call is nine minutes before the end of its bucket, so the session is live in the next bucket too.
    const live = [
      [0, 1, 1.2],
      [1, 1, 1.2],
      [4, 1, 1.2],
    ];
    expect(await peaks()).toEqual([...live, [5, 0, 1.2]]);
    await tell({ type: 'session_end', session: 'a', at: NOON + 5 * QUARTER - 60_000 });
    await rollUpAll(sql);
    expect(await peaks()).toEqual(live);
  });

  it('counts the last pressure of a session only until a boundary', async () => {
    const { project, tell } = await story();
    const agent = (quarter: number) => turn(quarter, { input: 1 }, { chain: 'agent-a' });
    await tell(
      start({ lens: 'snapshot' }),
      turn(0, { input: 1 }, { contextTokens: 78_000 }),
      { type: 'clear', session: 'a', at: NOON + QUARTER + 500 },
      agent(1),
    );
    await rollUpAll(sql);
    expect((await rowsOf(project)).map(([bucket, , , , , peak]) => [bucket, peak])).toEqual([
      [0, 0.78],
      [1, null],
    ]);
  });

  it('recalculates every peak when the session’s lens changes', async () => {
    const { project, tell } = await story();
    await tell(start({}), turn(0, { input: 30_000, output: 10_000 }, { contextTokens: 80_000 }));
    await rollUpAll(sql);
    expect((await rowsOf(project)).map((row) => row[5])).toEqual([0.4]);
    await tell(start({ lens: 'snapshot' }), turn(4, { input: 1 }, { contextTokens: 90_000 }));
    await rollUpAll(sql);
    expect((await rowsOf(project)).map((row) => row[5])).toEqual([0.8, 0.9]);
  });

  it('adds a late turn to its bucket, and moves the turns behind it', async () => {
    const { project, stream } = await story();
    const items = numbered([
      start({ lens: 'snapshot' }),
      turn(0, { input: 1 }, { contextTokens: 10_000 }),
      turn(2, { input: 2 }, { contextTokens: 20_000 }),
      turn(1, { input: 4 }, { contextTokens: 30_000 }),
    ]);
    const [first, second, late, last] = items;
    await deliver(
      sql,
      stream,
      [first, second, last].filter((item) => item !== undefined),
      EVENING,
    );
    await rollUpAll(sql);
    expect((await rowsOf(project)).map(([bucket, , , input]) => [bucket, input])).toEqual([
      [0, 1],
      [1, 4],
    ]);
    // Chart time never decreases, so the turn after the late turn moves with it.
    await deliver(sql, stream, late ? [late] : [], EVENING);
    await rollUpAll(sql);
    expect((await rowsOf(project)).map(([bucket, , , input]) => [bucket, input])).toEqual([
      [0, 1],
      [2, 6],
    ]);
  });

  it('uses the model of the session’s start for later turns without a model', async () => {
    const { project, tell } = await story();
    await tell(
      start({ model: 'first' }),
      turn(0, { input: 1 }, { model: undefined }),
      turn(0, { input: 2 }, { model: 'own' }),
    );
    await rollUpAll(sql);
    await tell(start({ model: 'second' }), turn(0, { input: 4 }, { model: undefined }), {
      type: 'restart',
      session: 'a',
      at: NOON + 60_000,
    });
    await rollUpAll(sql);
    expect(
      (await rowsOf(project)).map(([, model, , input, , , , restarts]) => [model, input, restarts]),
    ).toEqual([
      ['first', 1, 0],
      ['own', 2, 0],
      ['second', 4, 1],
    ]);
  });

  it('removes a deleted session, and moves an adopted session to its adopter', async () => {
    const { project, tell } = await story();
    const watcher = await openTestStream(sql, { project, runner: 'watcher', source: 'transcript' });
    const seen = numbered([
      start({ lens: 'snapshot', session: 'seen', client: 'cc', clientSessionId: 'c-1' }),
      { ...turn(3, { input: 7 }, { contextTokens: 40_000, call: 'x' }), session: 'seen' },
    ]);
    await deliver(sql, watcher, seen, EVENING);
    await tell(start({ lens: 'snapshot' }), turn(1, { input: 1 }, { contextTokens: 10_000 }));
    await rollUpAll(sql);
    expect((await readHistory(sql, project)).cells.map(({ runner, turns }) => [runner, turns])).toEqual([
      ['desk', 1],
      ['watcher', 1],
    ]);
    await tell(start({ client: 'cc', clientSessionId: 'c-1' }));
    await rollUpAll(sql);
    const adopted = await readHistory(sql, project);
    expect(adopted.cells.map(({ runner, turns, input }) => [runner, turns, input])).toEqual([
      ['desk', 1, 1],
      ['desk', 1, 7],
    ]);
    expect(adopted.cells).toEqual(adopted.summed);
    await deleteSession(sql, sessionId(project, 'a'));
    await rollUpAll(sql);
    expect(await readHistory(sql, project)).toEqual({ sessions: [], cells: [], summed: [] });
  });

  it('accepts figures of any size and sums runners beyond the exact range', async () => {
    const { project, tell } = await story();
    await tell(
      ...['a', 'b', 'c'].flatMap((session) => [
        { ...start({}), session },
        {
          ...turn(0, { input: Number.MAX_SAFE_INTEGER, cacheRead: Number.MAX_SAFE_INTEGER }, { limit: 1 }),
          session,
        },
      ]),
    );
    await rollUpAll(sql);
    const [cell] = (await readHistory(sql, project)).cells;
    expect(cell).toMatchObject({ turns: 3, input: Number.MAX_SAFE_INTEGER, peak: Number.MAX_SAFE_INTEGER });
  });

  it('skips a session until its refold is complete', async () => {
    const { project, tell } = await story();
    await tell(start({}), turn(0, { input: 1 }, {}));
    await sql`update sessions set recompute_from = 0 where public_id = ${sessionId(project, 'a')}`;
    expect((await rollUpHistory(sql)).changes).toBe(0);
    expect(await rowsOf(project)).toEqual([]);
    await sql`update sessions set recompute_from = null where public_id = ${sessionId(project, 'a')}`;
    await rollUpAll(sql);
    expect(await rowsOf(project)).toHaveLength(1);
  });

  it('runs in one process at a time and processes at most the given number of changes', async () => {
    const { project, tell } = await story();
    await tell(start({}), turn(0, { input: 1 }, {}));
    await tell(turn(1, { input: 1 }, {}));
    // Simulates a running process: only its lock is visible.
    await transact(sql, async (tx) => {
      await tx`select pg_advisory_xact_lock(125822885983600)`;
      expect(await rollUpHistory(sql)).toEqual({ changes: 0, isMore: false });
    });
    expect(await rollUpHistory(sql, 1)).toEqual({ changes: 1, isMore: true });
    expect(await rollUpHistory(sql, 1)).toEqual({ changes: 1, isMore: true });
    expect(await rollUpHistory(sql, 1)).toEqual({ changes: 0, isMore: false });
    expect(await rowsOf(project)).toHaveLength(2);
  });

  it('writes nothing if no result changed', async () => {
    const { project, tell } = await story();
    await tell(start({}), turn(0, { input: 1 }, {}));
    await rollUpAll(sql);
    const versions = () =>
      sql`select h.xmin::text, c.xmin::text as cell from session_history h join sessions s on s.id = h.session_id
        join history c on c.bucket = h.bucket and c.runner_id = h.runner_id and c.model_id = h.model_id
        where s.public_id = ${sessionId(project, 'a')}`;
    const before = [...(await versions())];
    await sql`insert into history_changes (session_id, position) select id, 0 from sessions`;
    await rollUpAll(sql);
    expect([...(await versions())]).toEqual(before);
    expect(before).toHaveLength(1);
  });
});

const QUARTER = BUCKET_MS;

async function story() {
  const project = randomUUID();
  const stream = await openTestStream(sql, { project });
  let seq = 1;
  const tell = async (...words: Words[]) => {
    const items = numbered(words, seq);
    seq += items.length;
    const recorded = await deliver(sql, stream, items, EVENING);
    const refused = recorded.outcomes.flat().filter(({ outcome }) => outcome === 'refused');
    expect(refused).toEqual([]);
  };
  return { project, stream, tell };
}

function start(changes: object): Words {
  return { type: 'session_start', session: 'a', limit: 100_000, at: NOON, ...changes } as Words;
}

/** @param quarter time in quarter hours after noon */
function turn(quarter: number, usage: object, changes: object): Words {
  const at = NOON + quarter * QUARTER + 1_000;
  return {
    type: 'turn',
    session: 'a',
    model: 'm1',
    at,
    usage: { input: 0, output: 0, ...usage },
    ...changes,
  } as Words;
}

/** Bucket after noon, model, turns, input, output, peak, compactions, restarts. */
async function rowsOf(project: string): Promise<unknown[][]> {
  const { sessions } = await readHistory(sql, project);
  return sessions.map((row) => [
    Number(row.bucket) - NOON / QUARTER,
    row.model,
    row.turns,
    row.input,
    row.output,
    row.peak,
    row.compactions,
    row.restarts,
  ]);
}
