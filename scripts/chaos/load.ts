/**
 * The load of the fault tests: runners with the published client, and the comparison of what they issued with what
 * PostgreSQL stored. Seeded: the same seed issues the same turns, at other times.
 */
import { join } from 'node:path';
import type postgres from 'postgres';
import { createRandom, type Random } from '../../core/scenario/random';
import { type BarographClient, createClient, type RunnerSession } from '../../runner/src/index';
import { until } from './until';

export interface LoadOptions {
  /** Runners connect to these servers in turn, so that two servers write each shared session. */
  urls: readonly string[];
  token: string;
  /** Holds the queues of the runners. */
  folder: string;
  runners: number;
  seed: number;
  /** Difference of a runner's clock, milliseconds. */
  clockOf?: (runner: number) => number;
}

export interface Comparison {
  /** Turns that runners issued. */
  turns: number;
  lost: number;
  doubled: number;
  wrongSums: number;
}

interface Writer {
  key: string;
  session: RunnerSession;
  /** Remainder of the writer's numbers modulo 2: two runners write into each shared session. */
  part: 0 | 1;
  issued: number;
}

const PROJECT = 'chaos';
const TICK_MS = 10;
const FLUSH_MS = 60_000;
/** Every so many turns, a call is reported a second time with its final output, as streams of SDKs do. */
const AMENDED_EVERY = 7;

/** Unique counts of a turn, so that a stored row identifies its turn. */
function usageOf(number: number) {
  return {
    input: number + 1,
    output: 10 + (number % 97),
    cacheRead: (number % 13) * 1_000,
    cacheCreation: number % 5,
  };
}

export class Load {
  private readonly clients: BarographClient[] = [];
  private readonly writers: Writer[] = [];
  private readonly random: Random;
  private timer: NodeJS.Timeout | undefined;
  private turns = 0;

  constructor(readonly options: LoadOptions) {
    this.random = createRandom(options.seed);
    for (let index = 0; index < options.runners; index += 1) {
      const url = options.urls[index % options.urls.length] ?? '';
      const client = this.connect(index, url);
      const shared = Math.floor(index / 2);
      const part = (index % 2) as 0 | 1;
      for (const [key, ofPart] of [
        [`own-${index}`, 0],
        [`shared-${shared}`, part],
      ] as const) {
        this.writers.push({ key, session: client.session(key), part: ofPart, issued: 0 });
      }
    }
  }

  private connect(index: number, url: string): BarographClient {
    const { token, folder, clockOf = () => 0 } = this.options;
    const name = `runner-${index}`;
    const client = createClient({
      url,
      token,
      project: PROJECT,
      runner: { name },
      queueFolder: join(folder, name),
      timing: { baseMs: 20, capMs: 300 },
      now: () => Date.now() + clockOf(index),
    });
    this.clients.push(client);
    return client;
  }

  get issued(): number {
    return this.turns;
  }

  get acknowledged(): number {
    return this.clients.reduce((sum, client) => sum + client.stats().acknowledged, 0);
  }

  /** Number of runners without a connection. */
  get down(): number {
    return this.clients.filter((client) => client.stats().state.status !== 'connected').length;
  }

  /** Issue turns until `stop`. */
  start(perSecond: number): void {
    const perTick = Math.max(1, Math.round((perSecond * TICK_MS) / 1_000));
    // A slow machine skips ticks, and then gets fewer turns a second.
    this.timer = setInterval(() => {
      for (let turn = 0; turn < perTick; turn += 1) this.issue();
    }, TICK_MS);
  }

  private issue(): void {
    const writer = this.writers[this.random.int(0, this.writers.length - 1)];
    if (!writer) return;
    const number = writer.issued * 2 + writer.part;
    const call = `${writer.part}-${writer.issued}`;
    const usage = usageOf(number);
    if (writer.issued % AMENDED_EVERY === 0) writer.session.turn({ call, usage: { ...usage, output: 1 } });
    writer.session.turn({ call, usage });
    writer.issued += 1;
    this.turns += 1;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** Numbers of issued turns per session and writer, all of them acknowledged. */
  async flush(): Promise<ReadonlyMap<string, number>> {
    const issued = new Map(this.writers.map(({ key, part, issued: count }) => [`${key} ${part}`, count]));
    const results = await Promise.all(this.clients.map((client) => client.flush(FLUSH_MS)));
    if (results.some(({ delivered }) => !delivered)) throw new Error('runners could not deliver');
    return issued;
  }

  /** Deliver everything, then a fresh turn. @throws if something is refused or not delivered */
  async finish(): Promise<void> {
    this.stop();
    const deliver = async () => {
      const results = await Promise.all(this.clients.map((client) => client.flush(FLUSH_MS)));
      const late = results.filter(({ delivered }) => !delivered).length;
      if (late > 0) throw new Error(`${late} runners could not deliver within ${FLUSH_MS / 1_000} s`);
      const [refused] = results.flatMap((result) => result.refused);
      if (refused) throw new Error(`an item was refused: ${refused.code} ${refused.reason}`);
    };
    await deliver();
    this.issue();
    await deliver();
  }

  async close(): Promise<void> {
    this.stop();
    await Promise.all(this.clients.map((client) => client.close(0)));
  }

  /** Compare every row and total with the issued turns. Call it after `finish`. */
  async compare(sql: postgres.Sql): Promise<Comparison> {
    await waitForTasks(sql);
    const found = await this.compareRows(sql);
    const [totals] = await sql<{ wrong: number }[]>`
      with stored as (select session_id as id, count(*) as turns, sum(input) as input from turns group by 1)
      select coalesce(sum((s.turn_count <> t.turns)::int
        + ((select sum(c.input) from contexts c where c.session_id = s.id) is distinct from t.input)::int
        + ((select sum(h.input) from session_history h where h.session_id = s.id) is distinct from t.input)::int
        + ((select sum(h.turns) from session_history h where h.session_id = s.id) is distinct from t.turns)::int
        ), 0)::int as wrong
      from stored t join sessions s using (id)`;
    return { ...found, wrongSums: found.wrongSums + (totals?.wrong ?? 1) };
  }

  /**
   * Compare every row with the issued turns. A copy of the database may have less: a prefix of each writer's turns, which
   * has those of `atLeast`. A hole, another order than issued, other figures and another running sum are wrong sums.
   */
  async compareRows(sql: postgres.Sql, atLeast?: ReadonlyMap<string, number>): Promise<Comparison> {
    const stored = await sql<
      { name: string; rows: number; distinct: number; reach: number; wrong: number }[]
    >`
      select key || ' ' || nth % 2 as name, count(*)::int as rows, count(distinct nth)::int as distinct,
        (max(nth) / 2 + 1)::int as reach, (count(*) filter (where before > nth
          or output <> 10 + nth % 97 or cache_read <> nth % 13 * 1000 or cache_creation <> nth % 5
          or (cumulative_input, cumulative_output, cumulative_cache_read) <> (inputs, outputs, reads)))::int as wrong
      from (
        select s.key, t.*, t.input - 1 as nth, sum(t.input) over past as inputs, sum(t.output) over past as outputs,
          sum(t.cache_read) over past as reads,
          lag(t.input - 1) over (partition by s.id, t.input % 2 order by t.position) as before
        from turns t join sessions s on s.id = t.session_id join projects p on p.id = s.project_id
        where p.name = ${PROJECT} window past as (partition by s.id order by t.position)
      ) each group by 1`;
    const found: Comparison = { turns: 0, lost: 0, doubled: 0, wrongSums: 0 };
    const left = new Map(stored.map((row) => [row.name, row]));
    for (const { key, part, issued } of this.writers) {
      const name = `${key} ${part}`;
      const { rows, distinct, reach, wrong } = left.get(name) ?? { rows: 0, distinct: 0, reach: 0, wrong: 0 };
      left.delete(name);
      const missing = Math.max(0, (atLeast ? (atLeast.get(name) ?? 0) : issued) - distinct);
      found.turns += atLeast ? rows : issued;
      found.lost += missing;
      found.doubled += rows - distinct + Math.max(0, reach - issued);
      found.wrongSums += wrong + Number(missing === 0 && reach !== distinct);
    }
    for (const { rows } of left.values()) found.doubled += rows;
    return found;
  }
}

/** Background tasks of the server complete the history and recompute long sessions. */
async function waitForTasks(sql: postgres.Sql): Promise<void> {
  await until(
    'the background tasks of the server',
    async () => {
      const [row] = await sql<{ waiting: number }[]>`
        select (select count(*) from history_changes)
          + (select count(*) from sessions where recompute_from is not null) as waiting`;
      return row?.waiting === 0;
    },
    FLUSH_MS,
  );
}
