/** Sessions and months are removed while batches write to them. */
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { sessionId } from '../../core/identity/session-id';
import type { Item } from '../../core/protocol/items';
import { connect } from '../client';
import { deleteSession } from '../delete-session';
import { rollUpAll } from '../history/history-testing';
import { judgeFault } from '../judge-fault';
import { retireSessions } from '../retention';
import { createTestDatabase } from '../testing/test-database';
import { transact } from '../transact';
import {
  deliver,
  EVENING,
  NOON,
  numbered,
  openTestStream,
  orderly,
  readSnapshot,
  type Words,
} from './ingest-testing';

const MONTHS = [5, 6, 7, 8].map((month) => Date.UTC(2026, month, 3));
const BUSY = ['a', 'gone', 'b', 'c'];
const ROUNDS = 8;

/** A call and a boundary of each session, with the same content in every stream. */
function round(index: number, sessions: readonly string[], start = NOON): Words[] {
  const at = start + index * 2_000;
  return sessions.flatMap((session): Words[] => [
    { type: 'turn', session, at, call: `${session}-${index}`, usage: { input: 50 + index, output: 7 } },
    { type: 'clear', session, at: at + 1_000 },
  ]);
}

it('leaves the rows of a serial run if months and a session are removed during ingest', async () => {
  const database = await createTestDatabase({ maxConnections: 8 });
  const { sql } = database;
  const other = connect(database.url, 3);
  const [busy, short, long] = [randomUUID(), randomUUID(), randomUUID()];
  const names = MONTHS.map((_, month) => `m${month}`);
  const days = JSON.stringify({ transcripts: { keepTurnDays: 30 } });
  let isIngesting = true;
  const whileIngesting = async (work: () => Promise<unknown>) => {
    while (isIngesting) {
      await work().catch((error) => expect(judgeFault(error)).toBe('transient'));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  const retire = async (lockTimeoutMs?: number) => {
    for await (const _ of retireSessions(other, EVENING, lockTimeoutMs));
  };
  const send = async (project: string, batches: readonly Words[][]) => {
    const stream = await openTestStream(sql, { project, runner: randomUUID() });
    const outcomes: string[] = [];
    for (const words of batches) {
      const recorded = await deliver(sql, stream, numbered(words, outcomes.length + 1), EVENING);
      outcomes.push(...recorded.outcomes.flat().map((one) => ('code' in one ? one.code : one.outcome)));
    }
    return outcomes;
  };
  const rounds = (sessions: readonly string[]) =>
    Array.from({ length: ROUNDS }, (_, index) => round(index, sessions));
  const inMonths = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) =>
      MONTHS.map((at, month) => round(from + index, [names[month] ?? ''], at)),
    ).flat();

  await send(short, inMonths(0, 1));
  await rollUpAll(sql);
  await sql`update projects set settings = ${days}::text::jsonb where name = ${short}`;
  const removing = [whileIngesting(() => retire()), whileIngesting(() => rollUpAll(other))];
  const [first, second, late, kept] = await Promise.all([
    send(busy, rounds(BUSY)),
    send(busy, rounds(BUSY.toReversed())),
    send(short, inMonths(1, 4)),
    send(long, inMonths(0, 4)),
    expect.poll(() => deleteSession(other, sessionId(busy, 'gone')), { interval: 20 }).not.toBeNull(),
  ]).finally(() => {
    isIngesting = false;
  });
  await Promise.all(removing);

  expect(['stored', 'duplicate', 'session_deleted']).toEqual(expect.arrayContaining([...first, ...second]));
  expect(['stored', 'retired']).toEqual(expect.arrayContaining(late));
  expect(new Set(kept)).toEqual(new Set(['stored']));
  // A deleted session keeps figures of its last batch, so only the rows of other sessions are compared.
  const rowsOf = async (project: string) => {
    const { sessions, ...rows } = await readSnapshot(sql, project);
    return { ...rows, sessions: sessions.filter(({ deleted }) => deleted !== true) };
  };
  const serial = (batches: readonly Words[][]) => orderly(sql, numbered(batches.flat()));
  expect(await rowsOf(busy)).toEqual(await serial(rounds(BUSY.filter((name) => name !== 'gone'))));
  expect(await rowsOf(long)).toEqual(await serial(inMonths(0, 4)));

  await rollUpAll(sql);
  await retire(60_000);
  expect(Object.values(await rowsOf(short)).flat()).toEqual([]);
  const [history] = await sql`
    select sum(h.turns)::int as turns from session_history h join sessions s on s.id = h.session_id
    join projects p on p.id = s.project_id where p.name = ${short}`;
  const stored = late.filter((outcome) => outcome === 'stored').length / 2;
  expect(history).toEqual({ turns: MONTHS.length + stored });
  await other.end();
  await database.close();
});

it('gives a client id to the claiming session if its former session is deleted meanwhile', async () => {
  const database = await createTestDatabase();
  const { sql } = database;
  const stream = await openTestStream(sql);
  const claim = (session: string, seq: number): Item => ({
    type: 'session_alias',
    seq,
    session,
    at: NOON,
    client: 'cc',
    clientSessionId: 'X',
  });
  await deliver(sql, stream, [claim('first', 1)]);
  let claimed: Promise<unknown> = Promise.resolve();
  await transact(sql, async (tx) => {
    await tx`select from sessions where key = 'first' for update`;
    claimed = deliver(sql, stream, [claim('second', 2)]);
    const isWaiting = async () =>
      (
        await sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
      ).length > 0;
    await expect.poll(isWaiting).toBe(true);
    await tx`delete from session_aliases`;
    await tx`update sessions set deleted_at = now() where key = 'first'`;
  });
  await claimed;
  const holders = await sql`
    select key from session_aliases a join sessions s on s.id = a.session_id`;
  expect(holders).toEqual([{ key: 'second' }]);
  await database.close();
});
