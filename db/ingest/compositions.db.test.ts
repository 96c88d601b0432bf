/** Each chain keeps its newest composition, for any source and order of arrival. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { sessionId } from '../../core/identity/session-id';
import type { Composition, Item } from '../../core/protocol/items';
import { deleteSession } from '../delete-session';
import { listCompositions } from '../queries/contexts';
import { loadSession } from '../queries/load-session';
import { sessionOf } from '../queries/testing-feed';
import { openTestDatabase } from '../testing/test-database';
import { deliver, NOON, openTestStream, outcomesOf } from './ingest-testing';
import { KEPT_COMPOSITIONS } from './types';

const { sql } = await openTestDatabase();

type TurnFields = Partial<Extract<Item, { type: 'turn' }>>;

/** A composition with this number of tokens. */
function madeOf(tokens: number): Composition {
  return { roles: [{ role: 'user', messages: 1, tokens }], suggestions: [] };
}

function turn(seq: number, tokens: number | null, fields: TurnFields = {}): Item {
  return {
    type: 'turn',
    seq,
    session: 's',
    at: NOON + seq * 1_000,
    call: `call-${seq}`,
    usage: { input: 10, output: 1 },
    ...(tokens === null ? {} : { composition: madeOf(tokens) }),
    ...fields,
  };
}

async function open(project: string, options: Parameters<typeof openTestStream>[1] = {}) {
  const stream = await openTestStream(sql, { ...options, project });
  return { stream, tell: (...items: Item[]) => deliver(sql, stream, items) };
}

/** Tokens of the newest composition by chain. */
async function newest(project: string, key = 's'): Promise<Record<string, number | undefined>> {
  const found = await listCompositions(sql, await sessionOf(sql, key, project));
  return Object.fromEntries(found.map(({ chain, roles }) => [chain, roles[0]?.tokens]));
}

async function versions(project: string, key = 's') {
  const loaded = await loadSession(sql, sessionId(project, key), { nowMs: NOON, idleAfterMs: 600_000 });
  return { version: loaded?.session.version, compositionVersion: loaded?.session.compositionVersion };
}

async function storedCount(project: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from compositions x join sessions s on s.id = x.session_id
    join projects p on p.id = s.project_id where p.name = ${project}`;
  return row?.count ?? -1;
}

describe('the composition of a context', () => {
  it('is returned whole, with its turn and context', async () => {
    const project = randomUUID();
    const { tell } = await open(project);
    const composition: Composition = {
      roles: [
        { role: 'system', messages: 1, tokens: 2_100 },
        { role: 'assistant', messages: 31, tokens: 61_200 },
      ],
      suggestions: [
        { kind: 'summarize_assistant_messages', messages: 31, tokensSaved: 30_600, impact: 'medium' },
      ],
      compression: { targetPercent: 50, messagesRemoved: 12, tokensRemoved: 22_400, tokensLeft: 40_900 },
    };
    const clear: Item = { type: 'clear', seq: 2, session: 's', at: NOON + 2_000 };
    await tell(turn(1, 1), clear, turn(3, null, { composition }));
    expect(await listCompositions(sql, await sessionOf(sql, 's', project))).toEqual([
      { chain: 'main', context: 1, turn: 2, at: new Date(NOON + 3_000).toISOString(), ...composition },
    ]);
    await tell(turn(4, 9));
    const [plain] = await listCompositions(sql, await sessionOf(sql, 's', project));
    expect(plain).toMatchObject({ turn: 3, compression: null, suggestions: [] });
  });

  it('is the newest by position, in any order of arrival', async () => {
    const project = randomUUID();
    const { tell } = await open(project);
    await tell(turn(1, 1), turn(5, 5));
    await tell(turn(3, 3));
    expect(await newest(project)).toEqual({ main: 5 });
    await tell(turn(7, null), turn(6, 6));
    expect(await newest(project)).toEqual({ main: 6 });
  });

  it('is kept per chain, but not for side calls', async () => {
    const project = randomUUID();
    const { tell } = await open(project);
    await tell(
      turn(1, 1),
      turn(2, 2, { chain: 'agent-a' }),
      turn(3, 3, { chain: 'agent-b' }),
      turn(4, 4, { scope: 'side' }),
      turn(5, 5, { chain: 'agent-b' }),
    );
    expect(await newest(project)).toEqual({ main: 1, 'agent-a': 2, 'agent-b': 5 });
    const ref = await sessionOf(sql, 's', project);
    expect(await listCompositions(sql, ref, { chain: 'agent-b' })).toHaveLength(1);
    await expect(listCompositions(sql, ref, { chain: 'nobody' })).rejects.toThrow();
  });

  it('changes nothing when resent, and refuses other content under its seq', async () => {
    const project = randomUUID();
    const { tell } = await open(project);
    await tell(turn(1, 1));
    const before = await versions(project);
    expect(before.compositionVersion).toBe(before.version);
    expect(outcomesOf(await tell(turn(1, 1)))).toEqual(['duplicate']);
    expect(await versions(project)).toEqual(before);
    const other = await tell(turn(1, 2));
    expect(other.outcomes).toMatchObject([[{ outcome: 'refused', code: 'seq_conflict' }]]);
    expect(await newest(project)).toEqual({ main: 1 });
  });

  it('keeps the version of its last change when turns without a composition follow', async () => {
    const project = randomUUID();
    const { tell } = await open(project);
    await tell(turn(1, null));
    expect(await versions(project)).toEqual({ version: 2, compositionVersion: null });
    await tell(turn(2, 2));
    expect(await versions(project)).toEqual({ version: 3, compositionVersion: 3 });
    await tell(turn(3, null));
    expect(await versions(project)).toEqual({ version: 4, compositionVersion: 3 });
  });
});

describe('a call that is reported again', () => {
  it('takes the composition of a later seq, even if all else is equal, but not of an earlier seq', async () => {
    const project = randomUUID();
    const { tell } = await open(project);
    await tell(turn(4, 40, { call: 'a' }));
    expect(outcomesOf(await tell(turn(6, 60, { call: 'a' })))).toEqual(['amended']);
    expect(await newest(project)).toEqual({ main: 60 });
    expect(await versions(project)).toEqual({ version: 3, compositionVersion: 3 });
    expect(outcomesOf(await tell(turn(5, 50, { call: 'a' })))).toEqual(['unchanged']);
    await tell(turn(2, 20, { call: 'a' }));
    expect(await newest(project)).toEqual({ main: 60 });
    expect(await versions(project)).toMatchObject({ compositionVersion: 3 });
  });

  it('adds a composition that the first report lacked, and keeps a composition that a later report lacks', async () => {
    const project = randomUUID();
    const { tell } = await open(project);
    await tell(turn(1, null, { call: 'a' }), turn(2, 20, { call: 'b' }));
    await tell(turn(3, 30, { call: 'a' }), turn(4, null, { call: 'b', usage: { input: 10, output: 90 } }));
    expect(await newest(project)).toEqual({ main: 20 });
    expect(await storedCount(project)).toBe(2);
  });

  it('makes the previous composition the newest when the call moves to an earlier seq', async () => {
    const project = randomUUID();
    const { tell } = await open(project);
    await tell(turn(9, 90, { call: 'moves' }));
    await tell(turn(5, 50, { call: 'stays' }));
    expect(await newest(project)).toEqual({ main: 90 });
    await tell(turn(1, 10, { call: 'moves' }));
    expect(await newest(project)).toEqual({ main: 50 });
  });

  it('keeps the better source’s composition, whichever arrived first', async () => {
    const project = randomUUID();
    const hook = await open(project, { source: 'hook' });
    const sdk = await open(project, { source: 'sdk' });
    await hook.tell(turn(1, 1, { call: 'a' }), turn(2, 2, { call: 'b' }));
    await sdk.tell(turn(1, 11, { call: 'a', at: NOON }));
    await hook.tell(turn(3, 3, { call: 'a' }));
    const [row] = await sql<{ tokens: number }[]>`
      select (x.composition->'roles'->0->>'tokens')::int as tokens from compositions x
      join sessions s on s.id = x.session_id join projects p on p.id = s.project_id
      where p.name = ${project} and x.source = 1`;
    expect(row).toEqual({ tokens: 11 });
    expect(await newest(project)).toEqual({ main: 2 });
  });

  it('adds no composition if it is refused', async () => {
    const project = randomUUID();
    const { tell } = await open(project);
    await tell(turn(1, 1, { usage: { input: Number.MAX_SAFE_INTEGER } }));
    const over = await tell(turn(2, 2));
    expect(over.outcomes).toMatchObject([[{ outcome: 'refused', code: 'sum_overflow' }]]);
    const conflict = await tell(turn(3, 3, { call: 'call-1', usage: { input: 7 } }));
    expect(conflict.outcomes).toMatchObject([[{ outcome: 'refused', code: 'call_conflict' }]]);
    expect(await newest(project)).toEqual({ main: 1 });
    expect(await storedCount(project)).toBe(1);
  });
});

describe('the compositions of a session', () => {
  it('are limited for any number of turns', async () => {
    const project = randomUUID();
    const { tell } = await open(project);
    await tell(...Array.from({ length: 30 }, (_, index) => turn(index + 1, index + 1)));
    for (let seq = 31; seq < 40; seq += 1) await tell(turn(seq, seq));
    expect(await newest(project)).toEqual({ main: 39 });
    expect(await storedCount(project)).toBe(KEPT_COMPOSITIONS);
  });

  it('move to the adopting session', async () => {
    const project = randomUUID();
    const hook = await open(project, { source: 'hook', runner: 'watcher' });
    const ids = { client: 'claude-code', clientSessionId: 'c-1' };
    await hook.tell(
      { type: 'session_start', seq: 1, session: 'seen', at: NOON, ...ids },
      turn(2, 2, { session: 'seen', call: 'both' }),
      turn(3, 3, { session: 'seen', call: 'theirs', chain: 'agent-a' }),
    );
    const sdk = await open(project, { source: 'sdk' });
    await sdk.tell(turn(1, 11, { call: 'both' }));
    await sdk.tell({ type: 'session_alias', seq: 2, session: 's', at: NOON + 5_000, ...ids });
    expect(await newest(project)).toEqual({ main: 11, 'agent-a': 3 });
    const { version, compositionVersion } = await versions(project);
    expect(compositionVersion).toBe(version);
    expect(await storedCount(project)).toBe(2);
    await hook.tell(turn(4, 4, { session: 'seen', call: 'later' }));
    expect(await newest(project)).toEqual({ main: 4, 'agent-a': 3 });
  });

  it('are deleted with the session, and no resend restores them', async () => {
    const project = randomUUID();
    const { tell } = await open(project);
    await tell(turn(1, 1));
    const { id } = await sessionOf(sql, 's', project);
    await deleteSession(sql, sessionId(project, 's'));
    expect(outcomesOf(await tell(turn(1, 1), turn(2, 2)))).toEqual(['refused', 'refused']);
    expect(await sql`select 1 from compositions where session_id = ${id}`).toEqual([]);
    const [row] = await sql`select composition_version as version from sessions where id = ${id}`;
    expect(row).toEqual({ version: null });
  });
});

it('the table of compositions is not locked by turns without a composition', async () => {
  const project = randomUUID();
  const { tell } = await open(project);
  await tell(turn(1, null));
  const locked = await sql.reserve();
  await locked`begin`;
  await locked`lock table compositions in access exclusive mode`;
  const waiting = async () => {
    const rows = await sql`
      select 1 from pg_locks where relation = 'compositions'::regclass and not granted
        and database = (select oid from pg_database where datname = current_database())`;
    return rows.length > 0;
  };
  const late = [turn(5, null), turn(3, null), turn(5, null), turn(6, null, { call: 'call-1' })];
  for (const item of late) await tell(item);
  expect(await waiting()).toBe(false);
  const withOne = tell(turn(7, 7));
  await expect.poll(waiting).toBe(true);
  await locked`commit`;
  locked.release();
  expect(outcomesOf(await withOne)).toEqual(['stored']);
});
