import { describe, expect, it } from 'vitest';
import type { Item } from '../../core/protocol/items';
import { openTestDatabase } from '../testing/test-database';
import { deliver, EVENING, NOON, numbered, openTestStream, readSnapshot, type Words } from './ingest-testing';
import { recordDeliveries } from './record-deliveries';

const { sql, url } = await openTestDatabase();

/** Client session id of the current test: ids are unique on the server, not per project. */
let clientSessionId = '';

const turn = (session: string, call: string, input: number, chain?: string): Words => ({
  type: 'turn',
  session,
  at: NOON,
  call,
  usage: { input, output: 1 },
  ...(chain ? { chain } : {}),
});

const watched = (session = 'file'): Item[] =>
  numbered([
    { type: 'session_start', session, at: NOON, client: 'claude-code', clientSessionId, folder: '/srv' },
    turn(session, `${session}-1`, 100),
    turn(session, `${session}-2`, 50, 'agent-a'),
    turn(session, `${session}-3`, 200),
  ]);

const run = (session = 'run'): Item[] =>
  numbered([
    { type: 'session_start', session, at: NOON, title: 'Run' },
    turn(session, 'r1', 7),
    { type: 'restart', session, at: NOON, client: 'claude-code', clientSessionId },
  ]);

async function open(project: string) {
  clientSessionId = project;
  const watcher = await openTestStream(sql, { project, runner: 'watch', source: 'transcript' });
  const runner = await openTestStream(sql, { project, runner: 'loop', source: 'sdk' });
  return { watcher, runner };
}

/** Calls in order, each with its chain, context, number and input. */
async function calls(project: string) {
  const snapshot = await readSnapshot(sql, project);
  return snapshot.turns.map((row) => {
    const { context, input, number } = row.columns as { context: number; input: number; number: number };
    return `${row.session} ${row.chain} ${context} ${number} ${input}`;
  });
}

const MERGED = ['run main 0 1 7', 'run main 1 2 100', 'run agent-a 0 1 50', 'run main 1 3 200'];

describe('a runner that claims the client session of a watched transcript', () => {
  it('adopts the transcript’s calls, and redirects the old id', async () => {
    const project = 'watcher first';
    const { watcher, runner } = await open(project);
    await deliver(sql, watcher, watched(), EVENING);
    const { touched } = await deliver(sql, runner, run(), EVENING);
    expect(touched).toHaveLength(2);
    expect(await calls(project)).toEqual(MERGED);
    const { sessions, contexts, chains } = await readSnapshot(sql, project);
    expect(sessions).toMatchObject([
      { key: 'file', adopted_by: 'run', turn_count: 0 },
      { key: 'run', adopted_by: null, turn_count: 4, folder: '/srv' },
    ]);
    expect(chains.map(({ session, key }) => `${session} ${key}`)).toEqual(['run agent-a', 'run main']);
    expect(contexts.every(({ session }) => session === 'run')).toBe(true);
    const aliases = await sql`
      select a.client, s.key from session_aliases a join sessions s on s.id = a.session_id
      where client_session_id = ${clientSessionId}`;
    expect(aliases).toEqual([{ client: 'claude-code', key: 'run' }]);
  });

  it('keeps the refuted limits of its own calls, of the transcript’s calls, and of calls of both', async () => {
    const refuting = (session: string, calls: readonly string[]): Item[] => {
      const [first, ...others] = session === 'file' ? watched() : run();
      const sized = calls.map(
        (call, n): Words => ({
          type: 'turn',
          session,
          call,
          usage: { input: 100 + n, output: 1 },
          at: NOON + Number(call) * 1_000,
          model: 'claude-sonnet-4-5',
          contextTokens: 150_000 + 23_000 * Number(call),
          limit: 200_000,
          limitSource: 'client',
        }),
      );
      const claim = others.filter(({ type }) => type === 'restart');
      return numbered([...(first ? [first] : []), ...sized, ...claim] as Words[]);
    };
    const snapshots: string[][] = [];
    for (const order of ['file', 'run'] as const) {
      const project = `refuted, ${order} first`;
      const { watcher, runner } = await open(project);
      const reports = {
        file: () => deliver(sql, watcher, refuting('file', ['1', '3', '4']), EVENING),
        run: () => deliver(sql, runner, refuting('run', ['2', '3']), EVENING),
      };
      await reports[order]();
      await reports[order === 'file' ? 'run' : 'file']();
      const { turns } = await readSnapshot(sql, project);
      snapshots.push(turns.map(({ session, refuted }) => `${session} ${refuted}`).toSorted());
      const strays = await sql`
        select 1 from refuted_limits l left join turns t using (session_id, call_key) where t.session_id is null`;
      expect(strays).toHaveLength(0);
    }
    expect(snapshots[0]?.filter((row) => row === 'run 200000').length).toBeGreaterThan(0);
    expect(snapshots[1]).toEqual(snapshots[0]);
  });

  it('gives the same rows when the transcript arrives after the claim', async () => {
    const project = 'runner first';
    const { watcher, runner } = await open(project);
    await deliver(sql, runner, run(), EVENING);
    await deliver(sql, watcher, watched(), EVENING);
    expect(await calls(project)).toEqual(MERGED);
  });

  it('gives the same rows when both arrive in one batch', async () => {
    const project = 'at once';
    const { watcher, runner } = await open(project);
    const deliveries = [
      { stream: runner, items: run(), receivedAt: EVENING, clockAgrees: true },
      { stream: watcher, items: watched(), receivedAt: EVENING, clockAgrees: true },
    ];
    await recordDeliveries(sql, deliveries, { now: EVENING });
    expect(await calls(project)).toEqual(MERGED);
  });

  it('receives later items of the watcher', async () => {
    const project = 'goes on';
    const { watcher, runner } = await open(project);
    await deliver(sql, watcher, watched(), EVENING);
    await deliver(sql, runner, run(), EVENING);
    await deliver(sql, watcher, [{ ...turn('file', 'file-4', 1), seq: 5 } as Item], EVENING);
    await deliver(sql, runner, [{ type: 'restart', session: 'run', at: NOON, seq: 4 }], EVENING);
    await deliver(sql, watcher, [{ ...turn('file', 'file-5', 2), seq: 6 } as Item], EVENING);
    expect(await calls(project)).toEqual([...MERGED, 'run main 1 4 1', 'run main 2 5 2']);
    const again = await deliver(sql, watcher, watched(), EVENING);
    expect(again.outcomes.flat().every(({ outcome }) => outcome === 'duplicate')).toBe(true);
  });

  it('works in a process that has cached the adopted session', async () => {
    const project = 'another process';
    const { watcher, runner } = await open(project);
    const { connect } = await import('../client');
    const other = connect(url, 1);
    await deliver(other, watcher, watched().slice(0, 2), EVENING);
    await deliver(sql, runner, run(), EVENING);
    await deliver(other, watcher, watched().slice(2), EVENING);
    expect(await calls(project)).toEqual(MERGED);
    await other.end();
  });

  it.each(['transcript first', 'runner first'])(
    'gives compactions and contexts by the times of both sources (%s)',
    async (order) => {
      const { watcher, runner } = await open(`times, ${order}`);
      const at = (seconds: number) => NOON + 1_000 * seconds;
      const compaction = { type: 'compaction', trigger: 'auto', state: 'confirmed' } as const;
      const call = (name: string, seconds: number) => ({ ...turn('file', name, 10), at: at(seconds) });
      const claim = { client: 'claude-code', clientSessionId };
      const file: Words[] = [
        { type: 'session_start', session: 'file', at: at(0), ...claim },
        call('a', 60),
        { ...compaction, session: 'file', at: at(120), boundary: 'b1' },
        call('b', 180),
        { ...compaction, session: 'file', at: at(240), boundary: 'b2' },
        call('c', 300),
      ];
      const library: Words[] = [
        { type: 'session_start', session: 'run', at: at(1) },
        ...[121, 241].map((seconds): Words => ({ ...compaction, session: 'run', at: at(seconds) })),
        { type: 'session_alias', session: 'run', at: at(400), ...claim },
      ];
      const sends = [
        () => deliver(sql, watcher, numbered(file), EVENING),
        () => deliver(sql, runner, numbered(library), EVENING),
      ];
      for (const send of order === 'transcript first' ? sends : sends.toReversed()) await send();
      expect(await calls(`times, ${order}`)).toEqual([
        'run main 0 1 10',
        'run main 1 2 10',
        'run main 2 3 10',
      ]);
    },
  );

  it('stores one row for a call that both reported, with the figures and the place of the better source', async () => {
    const project = 'both knew';
    const { watcher, runner } = await open(project);
    const words: Words[] = [
      { type: 'session_alias', session: 'run', at: NOON, client: 'claude-code', clientSessionId },
    ];
    await deliver(sql, watcher, watched(), EVENING);
    const shared = turn('run', 'file-1', 100);
    await deliver(sql, runner, numbered([shared, turn('run', 'own', 5), ...words]), EVENING);
    expect(await calls(project)).toEqual([
      'run main 0 1 5',
      'run main 0 2 100',
      'run agent-a 0 1 50',
      'run main 0 3 200',
    ]);
    const again = await deliver(sql, watcher, watched(), EVENING);
    expect(again.outcomes.flat().every(({ outcome }) => outcome === 'duplicate')).toBe(true);
  });
});

describe('a call that OTLP reported without an id', () => {
  const usage = { input: 100, output: 1 };

  it.each<[string, Partial<Extract<Words, { type: 'turn' }>>, string[]]>([
    ['on the same chain and with equal usage', {}, ['run main 0 1 100']],
    ['with another usage', { usage: { ...usage, output: 2 } }, ['run main 0 1 100', 'run main 0 2 100']],
    ['on another chain', { chain: 'agent-a' }, ['run main 0 1 100', 'run agent-a 0 1 100']],
    ['that is a copy', { inherited: true }, ['run main 0 0 100', 'run main 0 1 100']],
  ])(
    'is compared with a call of the runner %s when the sessions are merged',
    async (title, more, expected) => {
      const { runner } = await open(title);
      const otlp = await openTestStream(sql, { project: title, source: 'otlp', client: 'claude-code' });
      const named = { ...turn(clientSessionId, 'unused', 100), at: NOON + 90_000 } as Words & {
        call?: string;
      };
      delete named.call;
      const start: Words = { type: 'session_start', session: clientSessionId, at: NOON + 90_000 };
      const items = numbered([start, named]);
      await deliver(sql, otlp, items, EVENING);
      const claim: Words = { ...start, session: 'run', client: 'claude-code', clientSessionId };
      await deliver(sql, runner, numbered([claim, { ...turn('run', 'r1', 100), ...more } as Words]), EVENING);
      expect((await calls(title)).sort()).toEqual(expected.sort());
      const again = await deliver(sql, otlp, items, EVENING);
      expect(again.outcomes.flat().every(({ outcome }) => outcome === 'duplicate')).toBe(true);
      const resent = await deliver(sql, runner, numbered([turn('run', 'r1', 100)], 3), EVENING);
      expect(resent.outcomes.flat()[0]?.outcome).not.toBe('stored');
    },
  );
});

describe('two sessions that name one client session', () => {
  it.each(['hook', 'otlp'] as const)(
    'are merged if they have own keys, and a hook reports one and OTLP the other (%s first)',
    async (source) => {
      const project = `observers, ${source}`;
      clientSessionId = project;
      const sources = source === 'hook' ? (['hook', 'otlp'] as const) : (['otlp', 'hook'] as const);
      for (const each of sources) {
        const stream = await openTestStream(sql, { project, runner: each, source: each });
        const claim = {
          type: 'session_start',
          session: each,
          at: NOON,
          client: 'claude-code',
          clientSessionId,
        } as const;
        await deliver(sql, stream, numbered([claim, turn(each, `${each}-1`, 5)]), EVENING);
      }
      expect(
        (await readSnapshot(sql, project)).sessions.filter((each) => each.adopted_by === null),
      ).toMatchObject([{ key: sources[0], turn_count: 2 }]);
    },
  );

  it('stay separate when both are transcripts', async () => {
    const project = 'two files';
    const { watcher } = await open(project);
    await deliver(sql, watcher, watched('one'), EVENING);
    const other = await openTestStream(sql, { project, runner: 'watch', source: 'transcript' });
    await deliver(sql, other, watched('two'), EVENING);
    expect((await readSnapshot(sql, project)).sessions).toMatchObject([
      { key: 'one', adopted_by: null, turn_count: 3 },
      { key: 'two', adopted_by: null, turn_count: 3 },
    ]);
  });

  it('stay separate when both are runners, and the first keeps the id', async () => {
    const project = 'two runners';
    const { runner } = await open(project);
    await deliver(sql, runner, run('one'), EVENING);
    const other = await openTestStream(sql, { project, runner: 'second' });
    const mine = run('two').map((item) => ('call' in item ? { ...item, call: 'mine' } : item)) as Item[];
    await deliver(sql, other, mine, EVENING);
    const aliases = await sql`
      select s.key from session_aliases a join sessions s on s.id = a.session_id
      where client_session_id = ${clientSessionId}`;
    expect(aliases).toEqual([{ key: 'one' }]);
  });

  it.each(['hook first', 'transcript first'])(
    'are merged when a hook names its own key and the transcript names only the client (%s)',
    async (order) => {
      const project = `own key, ${order}`;
      clientSessionId = project;
      const client = 'claude-code';
      const hook = await openTestStream(sql, { project, runner: 'hook', source: 'hook' });
      const file = await openTestStream(sql, { project, source: 'transcript', client });
      const start = { type: 'session_start', session: 'mine', at: NOON, client, clientSessionId } as const;
      const words = [start, turn(clientSessionId, 'a', 5)].map((word) => ({
        ...word,
        session: clientSessionId,
      }));
      const sends = [
        () => deliver(sql, hook, numbered([start]), EVENING),
        () => deliver(sql, file, numbered(words), EVENING),
      ];
      for (const send of order === 'hook first' ? sends : sends.toReversed()) await send();
      expect((await readSnapshot(sql, project)).sessions).toMatchObject([
        { key: 'mine', adopted_by: clientSessionId },
        { key: clientSessionId, turn_count: 1 },
      ]);
    },
  );

  it('are merged when both claim at the same time', async () => {
    const project = 'race';
    const { watcher, runner } = await open(project);
    await Promise.all([deliver(sql, watcher, watched(), EVENING), deliver(sql, runner, run(), EVENING)]);
    expect(await calls(project)).toEqual(MERGED);
  });
});
