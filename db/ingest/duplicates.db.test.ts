import { describe, expect, it } from 'vitest';
import type { Item } from '../../core/protocol/items';
import { fc } from '../../core/testing/property-runs';
import { openTestDatabase } from '../testing/test-database';
import {
  deliver,
  NOON,
  numbered,
  openTestStream,
  outcomesOf,
  readSnapshot,
  rowsOf,
  type Words,
} from './ingest-testing';

const { sql } = await openTestDatabase();

const call = (name: string, figures: Partial<Extract<Words, { type: 'turn' }>> = {}): Words => ({
  type: 'turn',
  session: 's',
  at: NOON,
  call: name,
  usage: { input: 100, output: 10, cacheRead: 1_000, cacheCreation: 5 },
  ...figures,
});

const withSeq = (word: Words, seq: number) => ({ ...word, seq }) as Item;

async function inputAndOutput(project: string) {
  const [row] = await sql<{ input: number; output: number; calls: number }[]>`
    select c.input, c.output, c.calls from contexts c join sessions s on s.id = c.session_id
    join projects p on p.id = s.project_id where p.name = ${project}`;
  return row;
}

describe('the transport layer', () => {
  it('acknowledges a resend again and changes nothing', async () => {
    const project = 'resend';
    const stream = await openTestStream(sql, { project });
    const items = numbered([
      { type: 'session_start', session: 's', at: NOON, title: 'T' },
      call('a'),
      { type: 'turn', session: 's', at: NOON, usage: { input: 7 } },
      { type: 'compaction', session: 's', at: NOON, trigger: 'auto', state: 'confirmed' },
    ]);
    await deliver(sql, stream, items);
    const before = await readSnapshot(sql, project);
    const again = await deliver(sql, stream, items);
    expect(outcomesOf(again)).toEqual(['duplicate', 'duplicate', 'duplicate', 'duplicate']);
    expect(again.touched).toEqual([]);
    expect(await readSnapshot(sql, project)).toEqual(before);
  });

  it('treats another field order and explicit defaults as equal content', async () => {
    const stream = await openTestStream(sql, { project: 'spelling' });
    const item: Item = {
      type: 'turn',
      seq: 1,
      session: 's',
      at: NOON,
      call: 'a',
      usage: { input: 1, output: 2 },
    };
    await deliver(sql, stream, [item]);
    const spelled: Item = {
      usage: { output: 2, input: 1 },
      call: 'a',
      scope: 'main',
      chain: 'main',
      inherited: false,
      at: NOON,
      session: 's',
      seq: 1,
      type: 'turn',
    };
    expect(outcomesOf(await deliver(sql, stream, [spelled]))).toEqual(['duplicate']);
  });

  it.each([
    ['another call', withSeq(call('other'), 1)],
    ['another figure', withSeq(call('a', { usage: { input: 101 } }), 1)],
    ['another session', withSeq({ ...call('a'), session: 'elsewhere' }, 1)],
    ['another kind', withSeq({ type: 'session_end', session: 's', at: NOON }, 1)],
  ])('refuses %s under a used seq, and gives the same answer to a resend', async (name, other) => {
    const project = `conflict ${name}`;
    const stream = await openTestStream(sql, { project });
    await deliver(sql, stream, [withSeq(call('a'), 1)]);
    const refused = { outcome: 'refused', code: 'seq_conflict', field: 'seq' };
    expect((await deliver(sql, stream, [other])).outcomes[0]?.[0]).toMatchObject(refused);
    expect((await deliver(sql, stream, [other])).outcomes[0]?.[0]).toMatchObject(refused);
    expect(outcomesOf(await deliver(sql, stream, [withSeq(call('a'), 1)]))).toEqual(['duplicate']);
    const recorded = await sql`
      select refusal->>'code' as code from deliveries where stream_id = ${stream.streamId} and seq = 1`;
    expect(recorded).toEqual([{ code: 'seq_conflict' }]);
  });

  it('marks sums as incomplete when a turn of an unknown call is refused', async () => {
    const stream = await openTestStream(sql, { project: 'lost turn' });
    await deliver(sql, stream, [withSeq(call('a'), 1)]);
    for (let times = 0; times < 3; times += 1) await deliver(sql, stream, [withSeq(call('b'), 1)]);
    const { events, contexts } = await readSnapshot(sql, 'lost turn');
    expect(events.map(({ kind }) => kind)).toEqual(['turns_dropped']);
    expect(contexts[0]).toMatchObject({ columns: { complete: false } });
  });

  it('treats the seqs of a new queue as new, although they start at 1 again', async () => {
    const first = await openTestStream(sql, { project: 'new queue' });
    const second = await openTestStream(sql, { project: 'new queue' });
    await deliver(sql, first, numbered([{ type: 'turn', session: 's', at: NOON, usage: { input: 1 } }]));
    await deliver(sql, second, numbered([{ type: 'turn', session: 's', at: NOON, usage: { input: 1 } }]));
    expect(await inputAndOutput('new queue')).toMatchObject({ calls: 2, input: 2 });
  });
});

describe('the semantic layer', () => {
  it('accepts a further id of a refused call as the further id of another call', async () => {
    const stream = await openTestStream(sql, { project: 'lost alias' });
    const most = { input: Number.MAX_SAFE_INTEGER };
    const items = numbered([
      call('a'),
      { ...call('b', { usage: most }), call: ['b', 'shared'] } as Words,
      { ...call('c'), call: ['c', 'shared'] } as Words,
    ]);
    expect(outcomesOf(await deliver(sql, stream, items.slice(0, 2)))).toEqual(['stored', 'refused']);
    expect(outcomesOf(await deliver(sql, stream, items.slice(2)))).toEqual(['stored']);
    const [repeated] = numbered([{ ...call('c'), call: 'shared' } as Words], 4);
    expect(outcomesOf(await deliver(sql, stream, repeated ? [repeated] : []))).toEqual(['unchanged']);
  });

  it('stores a report once when another queue sends an equal report', async () => {
    const project = 'one report';
    const first = await openTestStream(sql, { project });
    const second = await openTestStream(sql, { project });
    const items = numbered([
      { type: 'session_start', session: 's', at: NOON },
      { type: 'restart', session: 's', at: NOON + 1, reason: 'full' },
    ]);
    await deliver(sql, first, items);
    expect(outcomesOf(await deliver(sql, second, items))).toEqual(['duplicate', 'duplicate']);
    expect((await readSnapshot(sql, project)).sessions[0]).toMatchObject({ fold: { continuations: 1 } });
  });

  it('accepts a larger output, and recomputes the following turns', async () => {
    const project = 'growing';
    const stream = await openTestStream(sql, { project });
    await deliver(sql, stream, numbered([call('a'), call('b'), call('c')]));
    const grown = call('a', { usage: { input: 100, output: 500, cacheRead: 1_000, cacheCreation: 5 } });
    expect(outcomesOf(await deliver(sql, stream, [withSeq(grown, 4)]))).toEqual(['amended']);
    const columns = 'output, cumulative_output as cumulative';
    expect(await rowsOf(sql, project, 'turns', columns)).toEqual([
      { output: 500, cumulative: 500 },
      { output: 10, cumulative: 510 },
      { output: 10, cumulative: 520 },
    ]);
    expect(outcomesOf(await deliver(sql, stream, [withSeq(call('a'), 5)]))).toEqual(['unchanged']);
    expect(await inputAndOutput(project)).toMatchObject({ calls: 3, output: 520 });
  });

  it('moves a call to the side calls if its source later reports it as one, in any order and over two queues', async () => {
    const start: Words = { type: 'session_start', session: 's', at: NOON, lens: 'snapshot', limit: 1_000 };
    const turn = call('own', { contextTokens: 950 });
    const side = call('own', { scope: 'side', chain: 'acompact-own' });
    const compaction = {
      ...{ type: 'compaction', session: 's', at: NOON, trigger: 'auto', state: 'confirmed' },
    } satisfies Words;
    const after = call('b', { contextTokens: 300 });
    const orders = [
      [side, compaction, after],
      [turn, side, compaction, after],
      [side, turn, compaction, after],
      [turn, compaction, after, side, turn],
    ];
    const read = async (project: string) => {
      const { events, contexts, sessions } = await readSnapshot(sql, project);
      const chain = 'select key from chains c where c.session_id = x.session_id and c.chain = x.chain';
      const columns = `(${chain}) as chain, input, reading, number, context`;
      const turns = await rowsOf(sql, project, 'turns', columns);
      const kinds = events.map(({ kind }) => kind).sort();
      return { kinds, contexts: contexts.length, turns, session: sessions[0] };
    };
    const found: Awaited<ReturnType<typeof read>>[] = [];
    for (const [index, order] of orders.entries()) {
      for (const queues of [1, 2]) {
        const project = `side ${index} ${queues}`;
        const items = numbered([start, call('a', { contextTokens: 700 }), ...order]);
        const streams: Awaited<ReturnType<typeof openTestStream>>[] = [];
        while (streams.length < queues) streams.push(await openTestStream(sql, { project }));
        for (const item of items) for (const stream of streams) await deliver(sql, stream, [item]);
        found.push(await read(project));
      }
    }
    expect(found[0]).toMatchObject({
      session: { fold: { totals: { main: { calls: 2 }, side: { calls: 1 } } }, used: 300 },
      turns: [{ reading: 700 }, { reading: null }, { reading: 300 }],
    });
    expect(found[0]?.kinds).not.toContain('approaching_redline');
    for (const other of found) expect(other).toEqual(found[0]);
  });

  it('fills in missing usage, and retracts the event for disabled tracking', async () => {
    const project = 'filled';
    const stream = await openTestStream(sql, { project });
    await deliver(sql, stream, numbered([call('a', { usage: null }), call('b')]));
    expect((await readSnapshot(sql, project)).events.map(({ kind }) => kind)).toEqual(['tracking_disabled']);
    expect(outcomesOf(await deliver(sql, stream, [withSeq(call('a'), 3)]))).toEqual(['amended']);
    const { events, sessions } = await readSnapshot(sql, project);
    expect(events).toEqual([]);
    expect(sessions[0]).toMatchObject({ used: 220, state: 'nominal' });
    const kept = { retracted: true, revision: 2 };
    expect(await rowsOf(sql, project, 'events', 'retracted, revision')).toEqual([kept]);
  });

  it('replaces an estimate by a real reading', async () => {
    const project = 'estimate';
    const stream = await openTestStream(sql, { project });
    const start: Words = { type: 'session_start', session: 's', at: NOON, lens: 'snapshot', limit: 1_000 };
    const estimated = call('a', { contextTokens: 900, basis: 'estimate' });
    await deliver(sql, stream, numbered([start, estimated]));
    expect((await readSnapshot(sql, project)).sessions[0]).toMatchObject({ used: 900 });
    await deliver(sql, stream, [withSeq(call('a', { contextTokens: 400 }), 3)]);
    expect((await readSnapshot(sql, project)).sessions[0]).toMatchObject({ used: 400, state: 'nominal' });
    await deliver(sql, stream, [withSeq(call('a', { contextTokens: 950, basis: 'estimate' }), 4)]);
    expect((await readSnapshot(sql, project)).sessions[0]).toMatchObject({ used: 400 });
  });

  it.each(['input', 'cacheRead', 'cacheCreation'] as const)(
    'refuses another %s for the same call',
    async (field) => {
      const project = `call conflict ${field}`;
      const stream = await openTestStream(sql, { project });
      await deliver(sql, stream, [withSeq(call('a'), 1)]);
      const before = await readSnapshot(sql, project);
      const other = call('a', {
        usage: { input: 100, output: 99, cacheRead: 1_000, cacheCreation: 5, [field]: 12 },
      });
      const { outcomes } = await deliver(sql, stream, [withSeq(other, 2)]);
      expect(outcomes[0]?.[0]).toMatchObject({
        outcome: 'refused',
        code: 'call_conflict',
        field: `usage.${field}`,
      });
      expect(await readSnapshot(sql, project)).toEqual(before);
      const another = await openTestStream(sql, { project, runner: 'two' });
      const { outcomes: theirs } = await deliver(sql, another, [withSeq(other, 1)]);
      expect(theirs[0]?.[0]).toMatchObject({ outcome: 'refused', code: 'call_conflict' });
    },
  );
});

describe('a further report of a sub-agent’s call', () => {
  const chain = 'agent-7';
  const grown = { usage: { input: 100, output: 99, cacheRead: 1_000, cacheCreation: 5 } };
  const reading = (contextTokens: number, of: { chain?: string } = {}): Words => ({
    ...{ type: 'reading', session: 's', at: NOON, call: 'a', contextTokens, ...of },
  });
  it.each([
    ['a larger output', 'sdk', call('a', { chain }), 'sdk', call('a', grown)],
    ['a larger output from a better source', 'sdk', call('a', { chain }), 'transcript', call('a', grown)],
    ['a model from a lesser source', 'sdk', call('a', { chain }), 'otlp', call('a', { model: 'm' })],
    ['cache counts', 'transcript', call('a', { chain, usage: { input: 100, output: 9 } }), 'otlp', call('a')],
    ['missing usage', 'sdk', call('a', { chain, usage: null }), 'sdk', call('a')],
    ['a larger size', 'sdk', call('a', { chain, contextTokens: 4 }), 'sdk', call('a', { contextTokens: 5 })],
    ['a larger reading', 'sdk', reading(4, { chain }), 'sdk', reading(5)],
    ['a larger reading from a better source', 'hook', reading(4, { chain }), 'transcript', reading(5)],
  ] as const)('adds %s without naming the chain', async (name, first, item, second, further) => {
    const project = `chain of a call ${name}`;
    const before = await openTestStream(sql, { project, source: first });
    const after = first === second ? before : await openTestStream(sql, { project, source: second });
    await deliver(sql, before, numbered([call('main'), item]));
    expect(outcomesOf(await deliver(sql, after, numbered([further], 9)))).toEqual(['amended']);
    const { turns } = await readSnapshot(sql, project);
    expect(turns).toHaveLength(2);
  });
});

describe('a call with several ids', () => {
  const ids = (names: string | string[], figures: object = {}): Words =>
    ({ ...call('x'), call: names, ...figures }) as Words;
  const sum = { calls: 1, input: 100 };

  it('is found by any of its ids, in any order of arrival', async () => {
    const words = [
      ids(['msg_1', 'req_1']),
      ids('req_1'),
      ids(['resp_1', 'req_1']),
      ids('resp_1'),
      ids('msg_1'),
    ];
    for (const [index, order] of fc.sample(fc.shuffledSubarray(words, { minLength: 5 }), 10).entries()) {
      const project = `ids ${index}`;
      const stream = await openTestStream(sql, { project });
      const items = numbered(order);
      const cut = index % 6;
      await deliver(sql, stream, items.slice(0, cut));
      await deliver(sql, stream, items.slice(cut));
      expect(await inputAndOutput(project)).toMatchObject(sum);
      expect(outcomesOf(await deliver(sql, stream, items)).every((each) => each === 'duplicate')).toBe(true);
      const other = await openTestStream(sql, { project });
      const again = outcomesOf(await deliver(sql, other, items));
      expect(again).toEqual(again.map(() => 'duplicate'));
      expect(await inputAndOutput(project)).toMatchObject(sum);
    }
  });

  it('joins two stored calls, with the figures and the place of the better source', async () => {
    const project = 'joined ids';
    const sdk = await openTestStream(sql, { project });
    const otlp = await openTestStream(sql, { project, source: 'otlp' });
    await deliver(sql, otlp, numbered([ids('req_1', { usage: { output: 7, cacheRead: 3 } }), call('b')]));
    await deliver(sql, sdk, numbered([ids('msg_1', { usage: { input: 100, output: 9 } })]));
    expect(await inputAndOutput(project)).toMatchObject({ calls: 3, input: 200 });
    await deliver(sql, sdk, numbered([ids(['msg_1', 'req_1'], { usage: { output: 9 } })], 2));
    const columns = 'input, output, cache_read, number';
    expect(await rowsOf(sql, project, 'turns', columns)).toEqual([
      { input: 100, output: 10, cache_read: 1_000, number: 1 },
      { input: 100, output: 9, cache_read: 3, number: 2 },
    ]);
    expect(
      outcomesOf(await deliver(sql, otlp, numbered([ids('req_1', { usage: { output: 7 } })], 3))),
    ).toEqual(['duplicate']);
  });

  it('is unique only within its session', async () => {
    const stream = await openTestStream(sql, { project: 'own ids' });
    const words = ['one', 'two'].map((session) => ids(['msg_1', 'req_1'], { session }));
    expect(outcomesOf(await deliver(sql, stream, numbered(words)))).toEqual(['stored', 'stored']);
  });

  it('keeps its ids when a runner adopts the session', async () => {
    const project = 'adopted ids';
    const watcher = await openTestStream(sql, { project, source: 'transcript' });
    const runner = await openTestStream(sql, { project });
    const claim = { at: NOON, client: 'claude-code', clientSessionId: 'X' };
    const seen = [ids(['msg_1', 'req_1']), ids(['msg_2', 'req_2'])].map((word) => ({
      ...word,
      session: 'file',
    }));
    await deliver(sql, watcher, numbered([{ type: 'session_start', session: 'file', ...claim }, ...seen]));
    await deliver(sql, runner, numbered([ids('req_1'), { type: 'session_alias', session: 's', ...claim }]));
    await deliver(sql, runner, numbered([ids('req_2')], 3));
    expect(await inputAndOutput(project)).toMatchObject({ calls: 2, input: 200 });
  });
});

describe('sources', () => {
  it('are merged figure by figure: a call of any source counts, with the figures of the best source', async () => {
    const project = 'sources';
    const sdk = await openTestStream(sql, { project });
    const transcript = await openTestStream(sql, { project, source: 'transcript' });
    await deliver(sql, sdk, numbered([call('only-sdk'), call('both', { model: 'm', limit: 400 })]));
    const better = call('both', { usage: { input: 130, output: 8 }, contextTokens: 138, limit: 500 });
    expect(outcomesOf(await deliver(sql, transcript, numbered([better, call('only-transcript')])))).toEqual([
      'amended',
      'stored',
    ]);
    await deliver(sql, sdk, [withSeq(call('late-sdk'), 3)]);
    expect(await inputAndOutput(project)).toEqual({ calls: 4, input: 430, output: 38 });
    const columns =
      'input, output, cache_read, reading, x.limit_tokens as limit, model_id is not null as named';
    const both = { input: 130, output: 8, cache_read: 1_000, reading: 138, limit: 500, named: true };
    expect((await rowsOf(sql, project, 'turns', columns))[1]).toEqual(both);
  });
});
