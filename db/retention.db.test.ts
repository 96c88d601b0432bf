import { beforeEach, describe, expect, it } from 'vitest';
import type { Item } from '../core/protocol/items';
import { rollUpAll } from './history/history-testing';
import { deliver, NOON, numbered, openTestStream, outcomesOf } from './ingest/ingest-testing';
import { listMonths, monthAt } from './partitions';
import { retireSessions } from './retention';
import { openTestDatabase } from './testing/test-database';

const { sql } = await openTestDatabase();

const DAY = 86_400_000;
/** Autovacuum may hold a lock for long on a busy machine. */
const PATIENT_MS = 60_000;
/** Starts of sessions: two months and 40 days before noon. */
const SEPTEMBER = Date.UTC(2026, 8, 20);
const OCTOBER = Date.UTC(2026, 9, 12);

let names = 0;
let project = '';
beforeEach(async () => {
  await sql`update projects set settings = '{}'`;
  names += 1;
  project = `kept ${names}`;
});

const session = (key: string, at: number): Item[] =>
  numbered([
    { type: 'session_start', session: key, at, backfill: true },
    { type: 'turn', session: key, at, usage: { input: 5 } },
  ]);

async function store(key: string, at: number): Promise<void> {
  await deliver(sql, await openTestStream(sql, { project }), session(key, at));
}

const keep = (days: number) => keepBy({ keepTurnDays: days });
async function keepBy(transcripts: object): Promise<void> {
  await rollUpAll(sql);
  await sql`
    update projects set settings = ${JSON.stringify({ transcripts })}::text::jsonb
    where name = ${project}`;
}

async function retire(now = NOON): Promise<number> {
  let count = 0;
  for await (const touched of retireSessions(sql, now, PATIENT_MS)) count += touched.length;
  return count;
}

async function turnsOf(name = project): Promise<string[]> {
  const rows = await sql<{ key: string }[]>`
    select s.key from turns t join sessions s on s.id = t.session_id join projects p on p.id = s.project_id
    where p.name = ${name} order by 1`;
  return rows.map(({ key }) => key);
}

describe('retention of turns', () => {
  it('keeps everything while a project sets no days', async () => {
    await store('old', SEPTEMBER);
    expect(await retire()).toBe(0);
    expect(await turnsOf()).toEqual(['old']);
    await keep(1);
    await retire();
  });

  it('drops the partitions of a month if all its sessions have expired, and keeps the history', async () => {
    await store('old', SEPTEMBER);
    await store('new', NOON);
    await keep(30);
    expect(await listMonths(sql)).toContain(monthAt(SEPTEMBER, NOON));
    expect(await retire()).toBe(1);
    expect(await listMonths(sql)).not.toContain(monthAt(SEPTEMBER, NOON));
    expect(await turnsOf()).toEqual(['new']);
    const [sum] = await sql`
      select sum(h.turns)::int as turns from session_history h join sessions s on s.id = h.session_id
      join projects p on p.id = s.project_id where p.name = ${project}`;
    expect(sum).toEqual({ turns: 2 });
  });

  it('deletes rows in a month that another project keeps', async () => {
    await store('mine', SEPTEMBER);
    await keep(30);
    const other = `${project} other`;
    await deliver(sql, await openTestStream(sql, { project: other }), session('theirs', SEPTEMBER));
    expect(await retire()).toBe(1);
    expect(await turnsOf()).toEqual([]);
    expect(await turnsOf(other)).toEqual(['theirs']);
    const tables = ['reports', 'events', 'contexts', 'chains', 'session_streams'];
    for (const table of tables) {
      const [row] = await sql`
        select count(*)::int as n from ${sql(table)} x join sessions s on s.id = x.session_id where s.retired`;
      expect(row?.n, table).toBe(0);
    }
  });

  it('keeps a session with a recent last turn, however old it is', async () => {
    await store('long', SEPTEMBER);
    const stream = await openTestStream(sql, { project });
    await deliver(sql, stream, numbered([{ type: 'turn', session: 'long', at: NOON, usage: { input: 1 } }]));
    await keep(30);
    expect(await retire()).toBe(0);
    expect(await retire(NOON + 31 * DAY)).toBe(1);
  });

  it('removes the longest silent sessions beyond the number of turns, and none of the last day', async () => {
    const days = [50, 40, 30, 2, 0];
    for (const each of days) await store(`${each} days`, NOON - each * DAY);
    await keepBy({ keepTurns: 3 });
    expect(await retire()).toBe(2);
    expect(await turnsOf()).toEqual(['0 days', '2 days', '30 days']);
    expect(await retire()).toBe(0);
    await keepBy({ keepTurns: 1, keepTurnDays: 35 });
    expect(await retire()).toBe(2);
    await keepBy({ keepTurns: 1 });
    await store('also today', NOON);
    expect(await retire()).toBe(0);
    expect(await turnsOf()).toEqual(['0 days', 'also today']);
  });

  it('refuses a second import of a removed session as retired', async () => {
    await store('old', OCTOBER);
    await keep(30);
    await retire();
    const again = await deliver(sql, await openTestStream(sql, { project }), session('old', OCTOBER));
    expect(again.outcomes.flat()).toMatchObject([
      { outcome: 'refused', code: 'retired', field: 'session' },
      { outcome: 'refused', code: 'retired' },
    ]);
  });

  it('refuses the first import of a session from a month that the project no longer keeps', async () => {
    await store('new', NOON);
    await keep(30);
    const stream = await openTestStream(sql, { project });
    expect(outcomesOf(await deliver(sql, stream, session('older', SEPTEMBER)))).toEqual([
      'refused',
      'refused',
    ]);
    expect(await turnsOf()).toEqual(['new']);
  });

  it('creates the partitions of a dropped month for a project that keeps it', async () => {
    await store('old', SEPTEMBER);
    await keep(30);
    await retire();
    project = `${project} other`;
    await store('kept', SEPTEMBER);
    expect(await turnsOf()).toEqual(['kept']);
  });
});
