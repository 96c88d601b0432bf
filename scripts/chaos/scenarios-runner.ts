/** Faults of a runner: killed processes, damaged queues, and a day without a server. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type postgres from 'postgres';
import type { Random } from '../../core/scenario/random';
import { createClient } from '../../runner/src/index';
import { bundleScript } from '../../runner/testing/bundle-script';
import type { Place } from './place';
import { addTo, type Fault, newOutcome } from './under-load';
import { until } from './until';

const SCRIPT = 'runner/src/client/testing/hand-over-until-killed.ts';
const PROJECT = 'p';

/** Run a runner until it has handed over this many turns, then kill it. @returns the number of turns it printed */
async function killRunner(place: Place, url: string, session: string, turns: number): Promise<number> {
  const child = spawn(
    process.execPath,
    [await bundleScript(SCRIPT), queueOf(place), url, place.token, session],
    {
      env: { NODE_ENV: 'test', PATH: process.env.PATH ?? '', HOME: place.folder },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const exited = once(child, 'exit');
  let output = '';
  for await (const chunk of child.stdout) {
    output += chunk;
    if (!child.killed && output.split('\n').length > turns) child.kill('SIGKILL');
  }
  await exited;
  return output.split('\n').length - 1;
}

const queueOf = (place: Place) => join(place.folder, 'runner-queue');

/** Deliver what killed runners left on disk. */
async function inherit(place: Place, url: string): Promise<void> {
  const heir = createClient({
    url,
    token: place.token,
    project: PROJECT,
    runner: { name: 'heir' },
    queueFolder: queueOf(place),
    timing: { baseMs: 20, capMs: 300 },
  });
  const isDone = () => heir.stats().adopted.queues === 0 && heir.stats().queued === 0;
  await until('the delivery of left queues', isDone, 120_000);
  await heir.close();
}

/** Compare a session with the numbers that must be stored. The runner may have handed over more than it printed. */
async function compare(sql: postgres.Sql, session: string, expected: Iterable<number>) {
  const [row] = await sql<{ rows: number; lost: number; doubled: number; wrongSums: number }[]>`
    with stored as (
      select t.input, t.cumulative_input <> sum(t.input) over (order by t.position) as wrong
      from turns t join sessions s on s.id = t.session_id where s.key = ${session}
    ) select count(*)::int as rows, (count(*) - count(distinct input))::int as doubled,
      (count(*) filter (where wrong))::int as "wrongSums", (select count(*)::int
        from unnest(${sql.array([...expected], 20)}) n where n not in (select input from stored)) as lost
    from stored`;
  return row ?? { rows: 0, lost: 0, doubled: 0, wrongSums: 0 };
}

const range = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

/** Number of turns that the gaps of a session count. */
async function countGaps(sql: postgres.Sql, session: string): Promise<number> {
  const [gaps] = await sql<{ count: number }[]>`
    select coalesce(sum((e.detail->>'count')::int), 0)::float8 as count from events e
    join sessions s on s.id = e.session_id where s.key = ${session} and e.kind = 'turns_dropped'`;
  return gaps?.count ?? 0;
}

/** Damage a queue file: flip a bit, or cut the end off. @returns numbers of the turns with intact lines */
function damage(place: Place, random: Random): Set<number> {
  const intact = new Set<number>();
  const files = readdirSync(queueOf(place), { recursive: true, encoding: 'utf8' });
  const segments = files.filter((name) => name.endsWith('.seg'));
  for (const name of segments) {
    const path = join(queueOf(place), name);
    const before = readFileSync(path);
    const header = before.indexOf('\n') + 1;
    const at = random.int(header, Math.max(header, before.length - 1));
    const after = random.chance(0.5) ? Buffer.from(before) : before.subarray(0, at);
    if (after.length === before.length && at < after.length)
      after[at] = (after[at] ?? 0) ^ (1 << random.int(0, 6));
    writeFileSync(path, after);
    const lines = after.toString('latin1').split('\n');
    const known = new Set(before.toString('latin1').split('\n'));
    // The last piece has no line end.
    for (const line of lines.slice(0, -1)) {
      const input = /"type":"turn".*"input":(\d+)/.exec(line)?.[1];
      if (input !== undefined && known.has(line)) intact.add(Number(input));
    }
  }
  return intact;
}

export const runnerFaults: Readonly<Record<string, Fault>> = {
  async 'runner-kill'(place, { times, turns }, random) {
    const server = await place.serve();
    const total = newOutcome(times);
    const printed: number[] = [];
    for (let kill = 0; kill < times; kill += 1) {
      printed.push(await killRunner(place, server.url, `killed-${kill}`, random.int(1, turns)));
    }
    await inherit(place, server.url);
    for (const [kill, count] of printed.entries()) {
      addTo(total, { turns: count, ...(await compare(place.sql, `killed-${kill}`, range(count))) });
    }
    return total;
  },
  async 'queue-damage'(place, { times, turns }, random) {
    const total = newOutcome(times);
    const first = await place.serve();
    let gone = 0;
    let gaps = 0;
    await first.kill();
    for (let round = 0; round < times; round += 1) {
      const session = `damaged-${round}`;
      const count = await killRunner(place, first.url, session, random.int(100, turns));
      const intact = damage(place, random);
      if (intact.size === 0) total.problems.push('no queue file was found');
      const server = await place.serve(first.port);
      await inherit(place, server.url);
      addTo(total, { turns: count, ...(await compare(place.sql, session, intact)) });
      gaps += await countGaps(place.sql, session);
      gone += range(count).filter((number) => !intact.has(number)).length;
      await server.kill();
    }
    if (gaps === 0) total.problems.push('no lost turn was recorded as a gap');
    total.note = `${gone} turns destroyed; gaps count ${gaps}`;
    return total;
  },
  async 'day-offline'(place, { times, turns }) {
    const total = newOutcome(times);
    const first = await place.serve();
    await first.kill();
    let dropped = 0;
    for (let round = 0; round < times; round += 1) {
      const session = `offline-${round}`;
      const client = createClient({
        url: first.url,
        token: place.token,
        project: PROJECT,
        runner: { name: 'offline' },
        queueFolder: queueOf(place),
        maxQueueBytes: 1_048_576,
        timing: { baseMs: 20, capMs: 300 },
      });
      const writer = client.session(session);
      const startedAt = Date.now() - 86_400_000;
      for (let number = 1; number <= turns; number += 1) {
        writer.turn({ at: startedAt + number, usage: { input: number } });
      }
      const server = await place.serve(first.port);
      await until('the delivery of the queue', () => client.stats().queued === 0, 120_000);
      dropped += client.stats().dropped;
      await client.close();
      const { rows, doubled, wrongSums } = await compare(place.sql, session, []);
      const missing = turns - rows - (await countGaps(place.sql, session));
      addTo(total, { turns, lost: Math.max(0, missing), doubled, wrongSums });
      await server.kill();
    }
    if (dropped === 0) total.problems.push('the queue did not overflow');
    total.note = `${dropped} turns dropped and recorded as gaps`;
    return total;
  },
};
