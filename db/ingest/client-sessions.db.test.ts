import { describe, expect, it } from 'vitest';
import { sessionId } from '../../core/identity/session-id';
import type { ProjectSource, SourceName } from '../../core/protocol/messages';
import { fc, propertyRuns } from '../../core/testing/property-runs';
import { rollUpHistory } from '../history/roll-up';
import { listTranscripts } from '../queries/transcripts/list-transcripts';
import { openTestDatabase } from '../testing/test-database';
import { handOver } from '../transcripts/transcripts-testing';
import { cuts, pieces } from './arbitrary-items.fixture';
import { deliver, EVENING, NOON, numbered, openTestStream, outcomesOf, type Words } from './ingest-testing';
import { recordDeliveries } from './record-deliveries';

const runs = propertyRuns();

const { sql } = await openTestDatabase();
const client = 'claude-code';

const open = (project: string, source: SourceName, projectSource: ProjectSource = 'folder') =>
  openTestStream(sql, { project, runner: client, source, client, projectSource });

const turn = (session: string, call: string, input = 10): Words => ({
  type: 'turn',
  session,
  at: NOON,
  call,
  usage: { input, output: 1 },
});
const start = (session: string, more: object = {}): Words => ({
  type: 'session_start',
  session,
  at: NOON,
  ...more,
});

async function rows(...ids: string[]) {
  return sql`
    select p.name as project, r.name as runner, rp.name as "runnerProject", s.key, (select count(*)::int from turns t where t.session_id = s.id) as turns,
      s.public_id as id, s.adopted_by is not null as adopted
    from sessions s join projects p on p.id = s.project_id join runners r on r.id = s.runner_id
    join projects rp on rp.id = r.project_id
    where s.key = any(${ids}) order by s.key, p.name`;
}

async function history(project: string): Promise<number> {
  while ((await rollUpHistory(sql)).changes > 0);
  const [row] = await sql<{ input: number }[]>`
    select coalesce(sum(input), 0)::int as input from history h
    where runner_id in (select r.id from runners r join projects p on p.id = r.project_id where p.name = ${project})`;
  return row?.input ?? 0;
}

describe('a session of a client', () => {
  it('is one session when streams of two projects name it', async () => {
    const hook = await open('one-right', 'hook');
    const watch = await open('one-guessed', 'transcript', 'name');
    await deliver(sql, hook, numbered([start('A1')]));
    await deliver(sql, watch, numbered([start('A1'), turn('A1', 'a')]));
    const later = await deliver(sql, await open('one-right', 'transcript'), numbered([turn('A1', 'a')]));
    expect(outcomesOf(later)).toEqual(['duplicate']);
    expect(await rows('A1')).toEqual([
      {
        project: 'one-right',
        runner: client,
        runnerProject: 'one-right',
        key: 'A1',
        turns: 1,
        id: sessionId('', 'A1', client),
        adopted: false,
      },
    ]);
  });

  it('moves to the project of a more reliable stream, with its history and archives', async () => {
    const watch = await open('moved-guessed', 'transcript', 'name');
    await deliver(sql, watch, numbered([start('B1'), turn('B1', 'a', 30)]));
    expect(await history('moved-guessed')).toBe(30);
    const [before] = await sql`select id, version from sessions where key = 'B1'`;
    const { offer } = await handOver(sql, Buffer.from('{}'), {
      project: 'moved-guessed',
      session: 'B1',
      client,
    });
    const archives = async (project: string) =>
      (await listTranscripts(sql, { project: [project] })).transcripts.map(({ archive }) => archive);
    expect(await archives('moved-guessed')).toEqual([offer.archive]);
    const items = numbered([start('B1'), turn('B1', 'a', 30)]);
    await deliver(sql, await open('moved-right', 'transcript'), items);
    expect(await rows('B1')).toMatchObject([
      { project: 'moved-right', runnerProject: 'moved-right', turns: 1 },
    ]);
    const [after] = await sql`select id, version from sessions where key = 'B1'`;
    expect(after?.id).toBe(before?.id);
    expect(Number(after?.version)).toBeGreaterThan(Number(before?.version));
    expect([await history('moved-guessed'), await history('moved-right')]).toEqual([0, 30]);
    expect([await archives('moved-guessed'), await archives('moved-right')]).toEqual([[], [offer.archive]]);
  });

  it('keeps its project if an equally or less reliable stream names another project', async () => {
    await deliver(sql, await open('kept', 'transcript'), numbered([start('C1'), turn('C1', 'a')]));
    await deliver(sql, await open('kept-hook', 'hook'), numbered([start('C1', { title: 'x' })]));
    await deliver(sql, await open('kept-other', 'transcript'), numbered([turn('C1', 'b')]));
    expect(await rows('C1')).toMatchObject([{ project: 'kept', turns: 2 }]);
    await deliver(
      sql,
      await open('kept-setting', 'hook', 'setting'),
      numbered([start('C1', { title: 'y' })]),
    );
    expect(await rows('C1')).toMatchObject([{ project: 'kept-setting', turns: 2 }]);
  });

  it('is neither changed nor moved by a token that may only write another project', async () => {
    const watch = await open('foreign-kept', 'transcript', 'name');
    await deliver(sql, watch, numbered([start('F1'), turn('F1', 'a')]));
    const bound = { ...(await open('foreign-mine', 'hook', 'setting')), boundBy: 'mine' };
    const { outcomes } = await deliver(sql, bound, numbered([start('F1'), turn('F1', 'b'), turn('F2', 'c')]));
    const refused = {
      ...{ outcome: 'refused', code: 'not_yours', field: 'session' },
      reason: 'the token "mine" may only write the project "foreign-mine"; the session is in another project',
    };
    expect(outcomes.flat()).toEqual([refused, refused, { outcome: 'stored' }]);
    expect(await rows('F1', 'F2')).toMatchObject([
      { project: 'foreign-kept', turns: 1 },
      { project: 'foreign-mine', turns: 1 },
    ]);
    const [left] = await sql`
      select count(*)::int as count from reports r join sessions s on s.id = r.session_id where s.key = 'F1'`;
    expect(left).toEqual({ count: 1 });
  });

  it('is not adopted by a session of a token that may only write another project', async () => {
    const watch = await open('claimed-kept', 'transcript');
    await deliver(sql, watch, numbered([start('K1'), turn('K1', 'a')]));
    const runner = await openTestStream(sql, { project: 'claimed-mine' });
    const claim = { client, clientSessionId: 'K1' };
    const items = numbered([start('run', claim), turn('run', 'b')]);
    const { outcomes } = await deliver(sql, { ...runner, boundBy: 'mine' }, items);
    expect(outcomes.flat()).toMatchObject([
      { outcome: 'refused', code: 'not_yours', field: 'clientSessionId' },
      { outcome: 'stored' },
    ]);
    expect(await rows('K1', 'run')).toMatchObject([
      { project: 'claimed-kept', turns: 1, adopted: false },
      { project: 'claimed-mine', turns: 1 },
    ]);
  });

  it('is not created by a token whose items are all refused', async () => {
    const runner = await openTestStream(sql, { project: 'ghost-theirs' });
    await deliver(sql, runner, numbered([start('ghost-run', { client, clientSessionId: 'H1' })]));
    const bound = { ...(await open('ghost-mine', 'hook')), boundBy: 'mine' };
    const { outcomes, touched } = await deliver(sql, bound, numbered([start('H1')]));
    expect(outcomes.flat()).toMatchObject([{ code: 'not_yours', field: 'clientSessionId' }]);
    expect(touched).toEqual([]);
    expect(await rows('H1')).toEqual([]);
    await deliver(sql, await open('ghost-theirs', 'hook'), numbered([start('H1', { title: 'later' })]));
    expect(await rows('H1')).toMatchObject([{ project: 'ghost-theirs', adopted: true }]);
  });

  it('takes nothing from a token of another project, in any order of reports and claims', async () => {
    let run = 0;
    const sources = ['transcript', 'sdk', 'hook', 'otlp'] as const;
    const place = fc.record({ project: fc.constantFrom('A', 'B'), isBound: fc.boolean() });
    const story = fc.record({
      places: fc.tuple(place, place, place, place),
      order: fc.array(fc.tuple(fc.nat(3), fc.integer({ min: 1, max: 3 })), { maxLength: 9 }),
    });
    /** Each source sends three calls. The library's session has its own key, and claims the client's session. */
    const itemsOf = (name: string, index: number) => {
      const session = sources[index] === 'sdk' ? 'run' : name;
      const calls = [0, 1, 2].map((call) => turn(session, `c${call + index}`, 10 + call + index));
      const alias: Words = { type: 'session_alias', session, at: NOON, client, clientSessionId: name };
      const opening = session === 'run' ? [] : [start(session)];
      return numbered([
        ...opening,
        ...calls.slice(0, 1),
        ...(session === 'run' ? [alias] : []),
        ...calls.slice(1),
      ]);
    };
    const openAll = (name: string, places: readonly { project: string }[]) =>
      Promise.all(
        sources.map((source, index) => {
          const named = { project: `${name} ${places[index]?.project}`, source, runner: client };
          return openTestStream(
            sql,
            source === 'sdk' ? named : { ...named, client, projectSource: 'folder' },
          );
        }),
      );
    const stored = (name: string) => sql`
      select right(p.name, 1) as project, t.input, t.bits, s.turn_count, s.adopted_by is not null as adopted
      from sessions s join projects p on p.id = s.project_id left join turns t on t.session_id = s.id
      where p.name like ${`${name} %`} order by 1, 2, 3, 4`;
    await fc.assert(
      fc.asyncProperty(story, async ({ places, order }) => {
        run += 1;
        const [name, accepted] = [`bound ${run}`, `accepted ${run}`];
        const [streams, unbound] = [await openAll(name, places), await openAll(accepted, places)];
        const queues = sources.map((_, index) => itemsOf(name, index));
        const copies = sources.map((_, index) => itemsOf(accepted, index));
        for (const [index, count] of [...order, [0, 9], [1, 9], [2, 9], [3, 9]] as const) {
          const [stream, plain, { project = '', isBound = false } = {}] = [
            streams[index],
            unbound[index],
            places[index],
          ];
          const [items = [], twins = []] = [queues[index]?.splice(0, count), copies[index]?.splice(0, count)];
          if (!stream || !plain) throw new Error('each source has a stream');
          for (const [i, item] of items.entries()) {
            const sender = isBound ? { ...stream, boundBy: 'a token' } : stream;
            const [[outcome] = []] = (await deliver(sql, sender, [item], EVENING)).outcomes;
            const twin = twins[i];
            if (outcome?.outcome === 'refused') {
              expect(outcome.code).toBe('not_yours');
              expect(isBound).toBe(true);
              continue;
            }
            if (twin) await deliver(sql, plain, [twin], EVENING);
            const [{ id: owner } = { id: '' }] = await sql`
              select right(p.name, 1) as id from sessions s join sessions o on o.id = coalesce(s.adopted_by, s.id)
              join projects p on p.id = o.project_id
              where s.public_id = ${sessionId(stream.project, item.session, stream.client)}`;
            if (isBound) expect(owner).toBe(project);
          }
        }
        expect(await stored(name)).toEqual(await stored(accepted));
      }),
      runs(25),
    );
  });

  it('differs from a session with the same key in a project or of another client', async () => {
    const keyed = await openTestStream(sql, { project: 'apart' });
    const other = await openTestStream(sql, { project: 'apart', client: 'codex' });
    await deliver(sql, await open('apart', 'transcript'), numbered([turn('D1', 'a')]));
    await deliver(sql, keyed, numbered([turn('D1', 'a')]));
    await deliver(sql, other, numbered([turn('D1', 'a')]));
    expect(await rows('D1')).toHaveLength(3);
  });

  it('links to sessions of its client in any project', async () => {
    const watch = await open('links', 'transcript');
    await deliver(sql, watch, numbered([start('E2', { reason: 'fork', forkedFrom: 'E1', previous: 'E0' })]));
    await deliver(sql, await open('links-guess', 'transcript', 'name'), numbered([turn('E1', 'a')]));
    const [row] = await sql`select forked_from_id, previous_id from sessions where key = 'E2'`;
    const [parent] = await sql`select public_id from sessions where key = 'E1'`;
    expect(row).toEqual({ forked_from_id: parent?.public_id, previous_id: sessionId('', 'E0', client) });
  });

  it('is adopted by a runner of another project that claims its id', async () => {
    await deliver(sql, await open('adopted', 'transcript'), numbered([start('F1'), turn('F1', 'a')]));
    const runner = await openTestStream(sql, { project: 'adopting' });
    const alias = {
      type: 'session_alias',
      session: 'run-F',
      at: NOON,
      client,
      clientSessionId: 'F1',
    } as const;
    await deliver(sql, runner, numbered([turn('run-F', 'r'), alias]), EVENING);
    expect(await rows('F1', 'run-F')).toMatchObject([
      { key: 'F1', adopted: true, turns: 0 },
      { key: 'run-F', project: 'adopting', turns: 2 },
    ]);
    await deliver(sql, await open('adopted', 'transcript', 'setting'), numbered([turn('F1', 'b')]), EVENING);
    expect(await rows('run-F')).toMatchObject([{ project: 'adopting', turns: 3 }]);
  });

  it('is created once by two processes at the same time', async () => {
    const streams = await Promise.all([open('race-1', 'transcript'), open('race-2', 'hook')]);
    await Promise.all(
      streams.map((stream) => deliver(sql, stream, numbered([start('G1'), turn('G1', stream.stream)]))),
    );
    expect(await rows('G1')).toMatchObject([{ project: 'race-1', turns: 2 }]);
  });
});

it('refuses a stream of another client', async () => {
  const { stream } = await open('taken', 'transcript');
  const opened = openTestStream(sql, { project: 'taken', runner: client, source: 'transcript', stream });
  await expect(opened).rejects.toThrow('belongs to another runner');
});

describe('a fork', () => {
  const parent = [turn('P', 'm1', 10), turn('P', 'm2', 20), { ...turn('P', 'm3', 30), call: ['m3', 'r3'] }];
  const calls = [
    turn('F', 'm1', 10),
    { ...turn('F', 'other', 20), call: ['other', 'm2'] },
    turn('F', 'r3', 30),
    turn('F', 'm4', 40),
  ].map((call, index) => ({ ...call, at: NOON + index }));
  const link = start('F', { reason: 'fork', forkedFrom: 'P' });

  /** @returns the number of the fork's counted calls, and the sum of their inputs */
  async function recordFork(name: string, batches: readonly Words[][]) {
    const named = (word: Words) => {
      const links = Object.entries(word).filter(([key]) => key === 'forkedFrom' || key === 'previous');
      const other = Object.fromEntries(links.map(([key, value]) => [key, `${name} ${value}`]));
      return { ...word, session: `${name} ${word.session}`, ...other } as Words;
    };
    const streams = { P: await open(name, 'transcript'), F: await open(name, 'transcript') };
    const seqs = { P: 1, F: 1 };
    for (const batch of batches) {
      const deliveries = (['P', 'F'] as const).map((session) => {
        const items = numbered(batch.filter((word) => word.session === session).map(named), seqs[session]);
        seqs[session] += items.length;
        return { stream: streams[session], items, receivedAt: EVENING, clockAgrees: true };
      });
      await recordDeliveries(sql, deliveries, { now: EVENING });
    }
    const [found] = await sql`
      select turn_count as calls, (fold->'totals'->'main'->>'input')::int as sum
      from sessions where key = ${`${name} F`}`;
    return found;
  }

  it.each([
    ['the link before them', [parent, [link, ...calls]]],
    ['the link in an earlier batch', [parent, [link], calls.slice(0, 2), calls.slice(2)]],
    ['the link after them', [parent, calls.slice(0, 3), calls.slice(3), [link]]],
    ['the link between them', [parent, calls.slice(0, 2), [link], calls.slice(2)]],
    ['its parent’s calls after them', [[link, ...calls], parent.slice(0, 2), parent.slice(2)]],
    ['the link last', [calls, parent, [link]]],
    ['all in one batch', [[link, ...calls, ...parent]]],
  ])('does not count the calls that its parent has, with %s', async (name, batches) => {
    expect(await recordFork(name, batches)).toEqual({ sum: 40, calls: 1 });
    expect(await history(name)).toBe(100);
  });

  it('counts calls with a different usage, and calls of a session without a parent', async () => {
    const others = calls.map((call) => ({ ...call, usage: { input: 5, output: 1 } }));
    expect(await recordFork('other usage', [parent, [link, ...others]])).toEqual({ sum: 20, calls: 4 });
    const own = start('F', { reason: 'fork', forkedFrom: 'F' });
    expect(await recordFork('itself', [parent, [own, ...calls]])).toEqual({ sum: 100, calls: 4 });
  });

  it('counts each call once in any order of its parent, its link and its calls, however they interleave', async () => {
    let run = 0;
    const grown = (word: Words) => ({ ...word, usage: { input: 30, output: 9 } }) as Words;
    const ofParent = [...parent, grown(turn('P', 'm3'))];
    const ofFork = [link, ...calls, grown(turn('F', 'r3'))];
    const order = fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 1, max: 4 })), { maxLength: 9 });
    await fc.assert(
      fc.asyncProperty(order, fc.nat(5), cuts, async (turns, linkAt, at) => {
        run += 1;
        const queues = [[...ofParent], [...ofFork.slice(1, linkAt + 1), link, ...ofFork.slice(linkAt + 1)]];
        const words = [...turns, [true, 9] as const, [false, 9] as const].flatMap(([isFork, count]) =>
          (queues[Number(isFork)] ?? []).splice(0, count),
        );
        expect(await recordFork(`order ${run}`, pieces(words, at))).toEqual({ sum: 40, calls: 1 });
        expect(await history(`order ${run}`)).toBe(100);
      }),
      runs(30),
    );
  });

  it('is recognised when the parent is merged into a runner’s session and another process sends its calls', async () => {
    const names = ['merged P', 'merged F'];
    const [p, f] = names.map((session) => (word: Words) => ({ ...word, session }) as Words);
    if (!p || !f) throw new Error('two sessions');
    const stream = await open('merged', 'transcript');
    await deliver(sql, stream, numbered([p(start('P')), p(turn('P', 'm1', 10))]), EVENING);
    const forked = [{ ...link, forkedFrom: 'merged P' } as Words, ...calls].map(f);
    await deliver(sql, await open('merged', 'transcript'), numbered(forked), EVENING);
    const runner = await openTestStream(sql, { project: 'merged' });
    const alias = { type: 'session_alias', session: 'run-P', at: NOON, client, clientSessionId: 'merged P' };
    await deliver(sql, runner, numbered([turn('run-P', 'm2', 20), alias as Words]), EVENING);
    await deliver(sql, stream, numbered([p(parent[2] as Words)], 3), EVENING);
    const [fork] = await sql`select turn_count as calls from sessions where key = 'merged F'`;
    expect(fork).toEqual({ calls: 1 });
  });

  it('counts once what it and its parent send at the same time', async () => {
    for (let run = 0; run < 8; run += 1) {
      const name = `race ${run}`;
      const halves = [parent, [link, ...calls]].map((words) => recordRace(name, words));
      await Promise.all(halves);
      const [fork] = await sql`select turn_count as calls from sessions where key = ${`${name} F`}`;
      expect(fork).toEqual({ calls: 1 });
    }
  });

  async function recordRace(name: string, words: readonly Words[]) {
    const renamed = words.map((word) => {
      const linked = 'forkedFrom' in word ? { forkedFrom: `${name} P` } : {};
      return { ...word, session: `${name} ${word.session}`, ...linked } as Words;
    });
    await deliver(sql, await open(name, 'transcript'), numbered(renamed), EVENING);
  }

  it.each([['previous first'], ['previous last']])(
    'is unlike a resumed or cleared session, which repeats a call only with the time of that call: %s',
    async (name) => {
      const next = start('F', { reason: 'resume', previous: 'P' });
      const copied = parent.slice(0, 2).map((call) => ({ ...call, session: 'F' }));
      const repeated = { ...turn('F', 'r3', 30), at: NOON + 5 };
      const batches = [parent, [next, ...copied, repeated]];
      const ordered = name === 'previous first' ? batches : batches.toReversed();
      expect(await recordFork(name, ordered)).toEqual({ sum: 30, calls: 1 });
    },
  );
});
