import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCallOwners, measureItems } from '../../../core/agents/testing/measure-sessions';
import { collectSources } from './collect-sources';
import { readTranscript } from './database-sources';
import {
  answerData,
  insert,
  messageRow,
  SCHEMA,
  SECOND_SCHEMA,
  type Statement,
  writeDatabase,
} from './testing/opencode-database';
import { readSession } from './testing/read-session';

const AT = Date.UTC(2026, 2, 1, 10);
const FIRST = SCHEMA.map((sql): Statement => [sql, []]);
const SECOND = SECOND_SCHEMA.map((sql): Statement => [sql, []]);
let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'opencode-versions-'));
  file = join(folder, 'opencode.db');
});
afterEach(() => rmSync(folder, { recursive: true }));

async function read(session: string) {
  const collected = await collectSources([file]);
  expect(collected.skipped).toEqual([]);
  const found = collected.sessions.find((each) => each.session === `opencode:${session}`);
  if (found === undefined) throw new Error(`There is no session ${session}.`);
  const { items } = await readSession(found, { owners: createCallOwners(), content: true });
  return { items, ...measureItems(items) };
}

function firstSession(id: string, at: number, parent: string | null = null): Statement {
  const sql = `insert into session (id, project_id, parent_id, slug, directory, title, version, time_created, time_updated)
    values (?, 'global', ?, 'calm', '/home/dev/harbour', 'Paint the boats', '1.18.33', ?, ?)`;
  return [sql, [id, parent, at, at]];
}

function secondSession(
  id: string,
  at: number,
  { parent = null, fork = null, title = 'Mend the nets' }: Record<string, string | null> = {},
): Statement {
  const sql = `insert into session_v2 values (?, 'global', ?, ?, 'calm', '/home/dev/harbour', ?, '2.0.12', null, ?, ?)`;
  return [sql, [id, parent, fork, title, at, at]];
}

function firstAnswer(session: string, id: string, at: number, input: number, more: object = {}): Statement[] {
  const tokens = { total: input + 5, input, output: 5, reasoning: 0, cache: { read: 0, write: 0 } };
  const time = { created: at, completed: at + 1 };
  const message = { role: 'assistant', modelID: 'model-a', providerID: 'x', finish: 'stop', time, tokens };
  return [
    insert('message', [id, session, at, at + 1], { ...message, ...more }),
    insert('part', [`${id}-step`, id, session, at + 1, at + 1], { type: 'step-finish', tokens }),
  ];
}

/** A session of OpenCode 1 with a manual compaction, its copy in OpenCode 2 with a further call, and a sub-agent. */
function takenOver(): Statement[] {
  const request = { type: 'compaction', auto: false };
  return [
    ...[...FIRST, ...SECOND],
    firstSession('ses_a', AT),
    ...firstAnswer('ses_a', 'msg_1', AT + 10, 100),
    insert('message', ['msg_2', 'ses_a', AT + 20, AT + 20], { role: 'user', time: { created: AT + 20 } }),
    insert('part', ['prt_2', 'msg_2', 'ses_a', AT + 20, AT + 20], request),
    ...firstAnswer('ses_a', 'msg_3', AT + 30, 105, { summary: true, parentID: 'msg_2' }),
    secondSession('ses_a', AT, { title: 'Paint the boats' }),
    messageRow('msg_1', 'ses_a', 'assistant', 0, AT + 10, answerData(AT + 10, { input: 100, output: 5 })),
    messageRow('msg_2', 'ses_a', 'compaction', 1, AT + 20, {
      ...{ status: 'completed', reason: 'manual', summary: 'Done so far.', recent: '' },
    }),
    messageRow('msg_4', 'ses_a', 'user', 2, AT + 40, { text: 'Go on' }),
    messageRow(
      ...(['msg_5', 'ses_a', 'assistant', 3, AT + 50] as const),
      answerData(AT + 50, { input: 20, output: 4, reasoning: 6, read: 300, write: 30 }),
    ),
    secondSession('ses_b', AT + 60, { parent: 'ses_a' }),
    messageRow('msg_6', 'ses_b', 'assistant', 0, AT + 70, answerData(AT + 70, { input: 7, output: 3 })),
  ];
}

describe('a database of OpenCode', () => {
  it('gives the same items on every Node', async () => {
    writeDatabase(file, takenOver());
    const { items } = await read('ses_a');
    const turn = { type: 'turn', session: 'opencode:ses_a', model: 'model-a' };
    const usage = (input: number, output: number, cacheRead = 0, cacheCreation = 0) => ({
      ...{ input, output, cacheRead, cacheCreation },
    });
    const start = {
      ...{ type: 'session_start', session: 'opencode:ses_a', at: AT, reason: 'startup', lens: 'snapshot' },
      ...{ client: 'opencode', title: 'Paint the boats', clientVersion: '2.0.12', clientSessionId: 'ses_a' },
      ...{ model: 'model-a', folder: '/home/dev/harbour' },
    };
    expect(items).toEqual([
      start,
      { ...turn, at: AT + 11, call: 'msg_1-step', usage: usage(100, 5), contextTokens: 105, basis: 'total' },
      {
        ...turn,
        ...{
          at: AT + 31,
          chain: 'acompact-msg_3-step',
          scope: 'side',
          call: 'msg_3-step',
          usage: usage(105, 5),
        },
      },
      {
        ...{
          type: 'compaction',
          session: 'opencode:ses_a',
          at: AT + 31,
          trigger: 'manual',
          state: 'confirmed',
        },
        ...{ boundary: 'msg_3', preTokens: 105 },
      },
      {
        ...turn,
        at: AT + 51,
        call: 'msg_5',
        usage: usage(20, 10, 300, 30),
        contextTokens: 360,
        basis: 'total',
      },
      {
        ...turn,
        ...{
          at: AT + 71,
          chain: 'ses_b',
          call: 'msg_6',
          usage: usage(7, 3),
          contextTokens: 10,
          basis: 'total',
        },
      },
    ]);
    const ids = (text: string) =>
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).id);
    expect(ids(await readTranscript(`${file}#ses_a`, 'msg_3'))).toEqual([
      undefined,
      'msg_1',
      'msg_2',
      'msg_3',
    ]);
    expect(ids(await readTranscript(`${file}#ses_a`, 'msg_5')).slice(1)).toEqual([
      ...['msg_1', 'msg_2', 'msg_3', 'msg_4', 'msg_5'],
    ]);
  });

  it('has the compactions of OpenCode 2 with their calls aside, without those that run or failed', async () => {
    const compaction = (id: string, seq: number, data: object) =>
      messageRow(id, 'ses_a', 'compaction', seq, AT + 10 * seq, { summary: 'So far.', recent: '', ...data });
    const tokens = (input: number) => answerData(AT, { input, output: 9 }).tokens;
    writeDatabase(file, [
      ...[...SECOND, secondSession('ses_a', AT)],
      messageRow('msg_1', 'ses_a', 'assistant', 1, AT + 10, answerData(AT + 10, { input: 100, output: 5 })),
      compaction('msg_2', 2, {
        status: 'failed',
        reason: 'auto',
        error: { message: 'No.' },
        tokens: tokens(50),
      }),
      compaction('msg_3', 3, { status: 'completed', reason: 'auto', tokens: tokens(60) }),
      messageRow('msg_4', 'ses_a', 'assistant', 4, AT + 40, answerData(AT + 40, { input: 30, output: 5 })),
      compaction('msg_5', 5, { status: 'completed', reason: 'manual' }),
      compaction('msg_6', 6, { status: 'running', reason: 'manual' }),
    ]);
    const { compactions, main, side } = await read('ses_a');
    expect(compactions).toEqual([
      { trigger: 'auto', preTokens: 105, postTokens: null },
      { trigger: 'manual', preTokens: 35, postTokens: null },
    ]);
    expect(main).toMatchObject({ calls: 2, input: 130 });
    expect(side).toMatchObject({ calls: 2, input: 110, output: 18 });
  });

  it('has the calls that a fork of OpenCode 2 copied as inherited', async () => {
    writeDatabase(file, [
      ...[...SECOND, secondSession('ses_a', AT), secondSession('ses_b', AT + 50, { fork: 'ses_a' })],
      messageRow('msg_9_1', 'ses_b', 'assistant', 1, AT + 10, answerData(AT + 10, { input: 100, output: 5 })),
      messageRow('msg_2', 'ses_b', 'assistant', 2, AT + 60, answerData(AT + 60, { input: 30, output: 5 })),
    ]);
    const { items, main } = await read('ses_b');
    expect(items[0]).toMatchObject({ reason: 'fork', forkedFrom: 'opencode:ses_a' });
    expect(main).toMatchObject({ calls: 1, input: 30 });
  });

  it('ignores the unused table of messages in OpenCode 1', async () => {
    writeDatabase(file, [
      ...[...FIRST, ...SECOND.filter(([sql]) => sql.includes('session_message'))],
      firstSession('ses_a', AT),
      ...firstAnswer('ses_a', 'msg_1', AT + 10, 100),
      messageRow('msg_x', 'ses_a', 'assistant', 1, AT + 10, answerData(AT + 10, { input: 100, output: 5 })),
    ]);
    expect((await read('ses_a')).main).toMatchObject({ calls: 1 });
  });
});

describe('a database with an unknown schema', () => {
  const remedy = 'Update Barograph, or report it: https://github.com/barograph/barograph/issues';
  const collect = async (statements: Statement[]) => {
    writeDatabase(file, statements);
    const { sessions, skipped } = await collectSources([folder]);
    return { sessions: sessions.map(({ session }) => session), skipped };
  };
  const skippedFor = (reason: string) => [{ path: file, reason: `${reason}. ${remedy}`, isFault: true }];

  it('names the tables that were expected', async () => {
    expect(await collect([['create table talk (id text)', []]])).toEqual({
      sessions: [],
      skipped: skippedFor(
        'unknown schema: expected the tables session, message, part or session_v2, session_message',
      ),
    });
  });

  it('names missing columns, and still reads the tables of the other version', async () => {
    const renamed: Statement = ['alter table session_message rename column seq to place', []];
    expect(await collect([...FIRST, ...SECOND, firstSession('ses_a', AT), renamed])).toEqual({
      sessions: ['opencode:ses_a'],
      skipped: skippedFor('unknown schema: table session_message lacks seq'),
    });
  });

  it('names missing tables', async () => {
    const { skipped } = await collect([...FIRST, ['drop table part', []]]);
    expect(skipped).toEqual(skippedFor('unknown schema: table part is missing'));
  });

  it('reports the error of SQLite for a damaged file', async () => {
    writeFileSync(file, 'This is no database. '.repeat(100));
    const { skipped } = await collectSources([file]);
    expect(skipped).toEqual([{ path: file, reason: expect.stringMatching(/not a database/), isFault: true }]);
  });
});
