import {
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TranscriptItem } from '../../../core/agents/agent-format';
import { createCallOwners, measureItems } from '../../../core/agents/testing/measure-sessions';
import { readAll } from '../../../core/transcript/testing-transcripts';
import { readArchiveIndex } from '../archive/archive-index';
import { archiveRows } from '../upload/archive-rows';
import { collectSources } from './collect-sources';
import { readDatabase, sqliteProblem } from './sqlite';
import { answerData, hasPython, OpencodeDatabase } from './testing/opencode-database';
import { prepareWatch } from './testing/prepare-watch';
import { readSession } from './testing/read-session';
import { TranscriptFeed } from './transcript-feed';

const isReadable = hasPython() && (await sqliteProblem()) === null;
const [MAIN, CHILD, FORK] = ['ses_main', 'ses_child', 'ses_fork'];
const KEY = `opencode:${MAIN}`;
let file: string;
let database: OpencodeDatabase;
let problems: string[];

describe.skipIf(!isReadable)('a database of opencode', () => {
  const used = prepareWatch();
  beforeEach(async () => {
    problems = [];
    file = join(used.home, 'opencode', 'opencode.db');
    mkdirSync(join(used.home, 'opencode'));
    database = await OpencodeDatabase.create(file);
  });
  afterEach(() => database.stop());

  const watch = () =>
    used.watch(file, {
      onCompaction: async ({ path, identity }, project, _after, compactions) => {
        const { session, clientSessionId, folder } = identity;
        const about = { path, session, clientSessionId, folder, project, now: 0, configFolder: used.home };
        await archiveRows(about, compactions);
      },
      onProblem: (path, reason) => problems.push(`${path}: ${reason}`),
    });

  async function measure(session: string) {
    const found = (await collectSources([file])).sessions.find((each) => each.session === session);
    if (found === undefined) throw new Error(`There is no session ${session}.`);
    const { items } = await readSession(found, { owners: createCallOwners(), content: true });
    return { items, ...measureItems(items) };
  }

  it('is imported from its log, with sub-agents as chains and the compaction’s own call aside', async () => {
    const at = Date.UTC(2026, 2, 1, 10);
    await database.session(MAIN, at, { title: 'Paint the boats' });
    await database.ask(MAIN, at + 10);
    await database.answer(MAIN, at + 20, { input: 10, output: 5, reasoning: 2, read: 3_000, write: 100 });
    await database.session(CHILD, at + 30, { parent: MAIN });
    await database.answer(CHILD, at + 40, { input: 7, output: 3, read: 500 });
    await database.answer(MAIN, at + 50, { input: 20, output: 6, read: 9_000 });
    const parentID = await database.ask(MAIN, at + 60, false);
    await database.answer(MAIN, at + 70, { input: 9, output: 80, read: 9_000 }, { parentID, summary: true });
    await database.answer(MAIN, at + 80, { input: 30, output: 4, read: 1_000 });
    const { items, ...measured } = await measure(KEY);
    expect(measured.main).toEqual({ calls: 3, input: 60, output: 17, cacheRead: 13_000, cacheCreation: 100 });
    expect(measured.side).toMatchObject({ calls: 2, input: 16, output: 83 });
    expect(measured.chains[CHILD]).toMatchObject({ calls: 1, last: 510 });
    expect(measured.compactions).toEqual([{ trigger: 'manual', preTokens: 9_026, postTokens: null }]);
    expect(measured.contexts.map(({ last }) => last)).toEqual([9_026, 1_034]);
    expect(items[0]).toMatchObject({
      ...{
        type: 'session_start',
        title: 'Paint the boats',
        folder: '/home/dev/harbour',
        clientVersion: '1.18.33',
      },
    });
  });

  it('has a fork’s copied calls as inherited', async () => {
    const at = Date.UTC(2026, 2, 1, 10);
    await database.session(FORK, at + 100, { title: 'Paint the boats (fork #1)' });
    await database.answer(FORK, at + 20, { input: 10, output: 5 });
    await database.answer(FORK, at + 200, { input: 20, output: 5 });
    const { items, main } = await measure(`opencode:${FORK}`);
    expect(main).toMatchObject({ calls: 1, input: 20 });
    expect(items[0]).toMatchObject({ type: 'session_start', reason: 'fork' });
  });

  it('is read again when a transaction commits after its writes to the log', async () => {
    await database.session(MAIN, Date.UTC(2026, 2, 1, 10));
    const index = `${file}-shm`;
    const before = readFileSync(index);
    await database.answer(MAIN, Date.UTC(2026, 2, 1, 10), { input: 10, output: 5 });
    const after = readFileSync(index);
    const source = (await collectSources([file])).sessions[0]?.sources[0];
    if (source === undefined) throw new Error('There is no session.');
    const options = { project: 'harbour', announces: true, content: true, owners: createCallOwners() };
    const feed = new TranscriptFeed({ source, ...options });
    const items: TranscriptItem[] = [];
    const opened = openSync(index, 'r+');
    for (const content of [before, after]) {
      writeSync(opened, content, 0, content.length, 0);
      for await (const batch of feed.pull()) items.push(...batch.items);
    }
    closeSync(opened);
    expect(items.map(({ type }) => type)).toEqual(['session_start', 'turn']);
  });

  it('is read up to its last complete transaction', async () => {
    const at = Date.UTC(2026, 2, 1, 10);
    await database.session(MAIN, at);
    await database.ask(MAIN, at);
    const complete = readFileSync(`${file}-wal`);
    await database.ask(MAIN, at + 1);
    const wal = readFileSync(`${file}-wal`);
    const damaged = Buffer.from(wal);
    damaged.fill(7, complete.length + 100, complete.length + 200);
    const copy = join(used.home, 'copy.db');
    copyFileSync(file, copy);
    const count = async (log: Buffer) => {
      writeFileSync(`${copy}-wal`, log);
      const rows = await readDatabase(copy, (query) => query('select count(*) as messages from message'));
      return rows[0]?.messages;
    };
    expect(await count(wal)).toBe(2);
    expect(await count(wal.subarray(0, -10))).toBe(1);
    expect(await count(damaged)).toBe(1);
  });

  it('is followed while another process writes it: each call once, earlier calls as a gap', async () => {
    await database.session(MAIN, Date.UTC(2026, 2, 1, 10));
    await database.answer(MAIN, Date.UTC(2026, 2, 1, 10), { input: 10, output: 5 });
    const { clients, watcher } = await watch();
    for (let call = 1; call <= 20; call += 1)
      await database.answer(MAIN, Date.now(), { input: 100 + call, output: 1 });
    await clients.until(() => clients.calls().length === 20);
    await watcher.stop();
    await database.answer(MAIN, Date.now(), { input: 500, output: 1 }, { summary: true });
    const { clients: again } = await watch();
    await again.until(() => again.calls().length === 1);
    expect(again.itemsOf('compaction')).toHaveLength(1);
    expect(problems).toEqual([]);
    const inputs = [...clients.itemsOf('turn'), ...again.itemsOf('turn')].map(({ usage }) => usage?.input);
    expect(inputs).toEqual([...Array.from({ length: 20 }, (_, index) => 101 + index), 500]);
    expect(clients.itemsOf('gap')).toMatchObject([{ session: KEY, count: 1 }]);
    expect(clients.projects.get(KEY)).toBe('harbour');
  });

  it('is archived up to each compaction, with all parts of its messages', async () => {
    const { clients } = await watch();
    await database.session(MAIN, Date.now());
    await database.ask(MAIN, Date.now());
    await database.answer(MAIN, Date.now(), { input: 10, output: 5 }, { summary: true });
    await clients.until(() => clients.itemsOf('compaction').length === 1);
    await database.ask(MAIN, Date.now());
    await database.answer(MAIN, Date.now(), { input: 20, output: 5 }, { summary: true });
    await clients.until(() => clients.itemsOf('compaction').length === 2);
    await expect.poll(async () => (await readArchiveIndex(used.home)).entries.length).toBe(2);
    const { entries } = await readArchiveIndex(used.home);
    const ids = entries.map(({ archive }) =>
      readFileSync(archive ?? '', 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).id),
    );
    expect(ids[1]?.slice(0, 3)).toEqual(ids[0]);
    expect(ids.map((each) => each.at(-1))).toEqual(entries.map(({ boundary }) => boundary));
    expect(readFileSync(entries[0]?.archive ?? '', 'utf8')).toContain('"text":"Go on"');
    expect(problems).toEqual([]);
  });

  it('is followed when a session goes on in the tables of OpenCode 2', async () => {
    const { clients } = await watch();
    await database.session(MAIN, Date.now());
    const first = await database.answer(MAIN, Date.now(), { input: 10, output: 5 });
    await clients.until(() => clients.calls().length === 1);
    await database.upgrade(MAIN, first);
    await database.add(
      MAIN,
      'assistant',
      Date.now(),
      answerData(Date.now(), { input: 20, output: 5, read: 500 }),
    );
    await clients.until(() => clients.calls().length === 2);
    const boundary = await database.add(MAIN, 'compaction', Date.now(), {
      ...{ status: 'completed', reason: 'manual', summary: 'The boats are painted.', recent: '' },
    });
    await clients.until(() => clients.itemsOf('compaction').length === 1);
    await database.add(MAIN, 'assistant', Date.now(), answerData(Date.now(), { input: 30, output: 5 }));
    await clients.until(() => clients.calls().length === 3);
    await database.run([
      ['update session_v2 set title = ?, time_updated = ?', ['Mend the nets', Date.now()]],
    ]);
    await clients.until(() => clients.itemsOf('session_start').at(-1)?.title === 'Mend the nets');
    expect(clients.itemsOf('turn').map(({ usage }) => usage?.input)).toEqual([10, 20, 30]);
    expect(clients.itemsOf('compaction')).toMatchObject([{ trigger: 'manual', boundary, preTokens: 525 }]);
    await expect.poll(async () => (await readArchiveIndex(used.home)).entries.length).toBe(1);
    const { entries } = await readArchiveIndex(used.home);
    const { losses, outline } = readAll(readFileSync(entries[0]?.archive ?? ''), 'opencode');
    expect(outline.calls.map(({ contextTokens }) => contextTokens)).toEqual([15, 525]);
    expect(losses).toMatchObject([{ summary: { text: 'The boats are painted.' } }]);
    expect(problems).toEqual([]);
  });

  it('is reported once while its schema is unknown, and is followed again afterwards', async () => {
    const rename = (from: string, to: string) =>
      database.run([[`alter table message rename column ${from} to ${to}`, []]]);
    await rename('data', 'content');
    const { clients } = await watch();
    await database.session(MAIN, Date.now());
    await rename('content', 'data');
    await database.answer(MAIN, Date.now(), { input: 20, output: 5 });
    await clients.until(() => clients.calls().length === 1);
    expect(problems).toEqual([
      expect.stringMatching(/^\S+opencode\.db: unknown schema: table message lacks data\./),
    ]);
  });

  it('skips earlier calls of a database that could not be read at the first watch', async () => {
    const at = Date.UTC(2026, 2, 1, 10);
    await database.session(MAIN, at);
    await database.answer(MAIN, at, { input: 10, output: 5 });
    mkdirSync(join(used.home, 'away'));
    const names = ['opencode.db', 'opencode.db-wal', 'opencode.db-shm'];
    const move = (from: string, to: string) => {
      for (const name of names) renameSync(join(used.home, from, name), join(used.home, to, name));
    };
    move('opencode', 'away');
    const { clients } = await watch();
    move('away', 'opencode');
    await clients.until(() => clients.itemsOf('gap').length === 1);
    await database.answer(MAIN, Date.now(), { input: 20, output: 5 });
    await clients.until(() => clients.calls().length === 1);
    expect(clients.itemsOf('turn').map(({ usage }) => usage?.input)).toEqual([20]);
  });
});
