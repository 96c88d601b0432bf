/**
 * `npm run bench`: measure the goals of the design, and end with 1 if one is missed.
 *
 * `-- --only ingest,series,size,history,transcripts,transcript-page,fleet-page` selects measurements, `--quick` makes them
 * smaller. Ratios and sizes are comparable between machines; times of pages need an idle machine.
 */
import { parseArgs } from 'node:util';
import { rollUpAll } from '../db/history/history-testing';
import { measureFleetPage } from './fleet-page/measure-fleet-page';
import type { PageTask } from './fleet-page/trace-tasks';
import type { PageLook } from './fleet-page/watch-page';
import { fillYear } from './history/fill-year';
import { measureHistory } from './history/measure-history';
import { measureIngest } from './ingest/measure-ingest';
import { type BenchRow, formatRows } from './lib/bench-row';
import { median, quantile } from './lib/median';
import { createRandom } from './lib/random';
import { withServer } from './lib/run-server';
import { type BenchDatabase, startBenchDatabase } from './lib/start-bench-database';
import { fillSession } from './series/fill-session';
import { measureSeries } from './series/measure-series';
import { FLEET_TURNS, fillFleet } from './size/fill-fleet';
import { readSizes, sizeOf } from './size/measure-size';
import { fillArchives } from './transcripts/fill-archives';
import { createWords } from './transcripts/make-transcript';
import { measurePage } from './transcripts/measure-page';
import { measureLong, measureSearch } from './transcripts/measure-transcripts';

const CONNECTIONS = 100;
const INGEST_GOAL = 0.15;
const SERIES_GOAL = 2;
const SIZE_GOAL = 300;
const HISTORY_GOAL_MS = 300;
const SEARCH_GOAL_MS = 300;
const PAGE_GOAL_MS = 1_000;
const PAGE_RUNS = 9;
/** Fleet page: longest task, time from an action to its paint, and first view, milliseconds. */
const TASK_GOAL_MS = 100;
const ACT_GOAL_MS = 100;
const VIEW_GOAL_MS = 1_000;
const PHRASE = 'the harbour master of lindisfarne';
const FAR_PHRASE = 'a lantern behind the thousandth part';
const SEARCHES = 40;

interface Scale {
  turnsPerConnection: number;
  rounds: number;
  longSession: number;
  /** Turns of the year. */
  year: number;
  /** Sessions with ten archives each, megabytes of the last of them, and of one long transcript. */
  archived: { sessions: number; megabytes: number; long: number };
  reads: number;
  /** Sessions of the fleet page, turns a second, and how often the page is loaded. */
  page: { sessions: number; turnsPerSecond: number; rounds: number };
  port: number;
}

const FULL = {
  turnsPerConnection: 500,
  rounds: 5,
  longSession: 1_000_000,
  year: 200_000,
  reads: 100,
  archived: { sessions: 100, megabytes: 6, long: 100 },
  page: { sessions: 10_000, turnsPerSecond: 500, rounds: 3 },
};
const QUICK = {
  turnsPerConnection: 100,
  rounds: 3,
  longSession: 20_000,
  year: 20_000,
  reads: 30,
  archived: { sessions: 10, megabytes: 2, long: 10 },
  page: { sessions: 1_000, turnsPerSecond: 100, rounds: 1 },
};

const MEASUREMENTS: Record<string, (database: BenchDatabase, scale: Scale) => Promise<BenchRow>> = {
  async size({ sql }) {
    // Create the partitions first, so that only turns are counted.
    await fillSession(sql, 'first of its month', 10, () => undefined);
    const before = await readSizes(sql);
    await fillFleet(sql);
    await rollUpAll(sql);
    // Autovacuum would remove its dead rows, but not this soon.
    await sql`vacuum history_changes`;
    const size = sizeOf(before, await readSizes(sql), FLEET_TURNS);
    return {
      name: 'Bytes on disk per turn, with all indexes and rollups',
      value: size.bytesPerTurn.toFixed(0),
      goal: `≤ ${SIZE_GOAL}`,
      reached: size.bytesPerTurn <= SIZE_GOAL,
      detail: `${size.turns} turns of ${CONNECTIONS} sessions; ${size.turnsTable.toFixed(0)} of them the turn itself`,
    };
  },
  async ingest(database, { turnsPerConnection, rounds, port }) {
    const measured = await measureIngest(database, {
      connections: CONNECTIONS,
      turnsPerConnection,
      rounds,
      port,
    });
    const ratio = median(
      measured.map(({ ingestPerSecond, copyPerSecond }) => ingestPerSecond / copyPerSecond),
    );
    const ingest = median(measured.map(({ ingestPerSecond }) => ingestPerSecond));
    const copy = median(measured.map(({ copyPerSecond }) => copyPerSecond));
    return {
      name: 'Durable, acknowledged turns/s over WebSocket beside COPY',
      value: ratio.toFixed(3),
      goal: `≥ ${INGEST_GOAL}`,
      reached: ratio >= INGEST_GOAL,
      detail: `${ingest.toFixed(0)}/s from ${CONNECTIONS} connections, COPY ${copy.toFixed(0)}/s; medians of ${rounds}`,
    };
  },
  async series({ sql }, { longSession, reads }) {
    const short = await fillSession(sql, 'short', 1_000, () => undefined);
    const long = await fillSession(sql, 'long', longSession, (stored) => {
      if (stored % 100_000 === 0) process.stderr.write(`  ${stored} of ${longSession} turns stored\n`);
    });
    await sql`analyze`;
    const { longMs, shortMs } = await measureSeries(sql, long, short, reads);
    const ratio = longMs / shortMs;
    return {
      name: `Series of ${longSession} turns beside one of 1000`,
      value: `${ratio.toFixed(2)}×`,
      goal: `≤ ${SERIES_GOAL}×`,
      reached: ratio <= SERIES_GOAL,
      detail: `${longMs.toFixed(1)} ms, ${shortMs.toFixed(1)} ms; medians of ${reads} alternating reads`,
    };
  },
  async history({ sql }, { year, reads }) {
    const { to } = await fillYear(sql, year);
    const rollUpMs = await timed(() => rollUpAll(sql));
    await sql`analyze`;
    const times = await measureHistory(sql, to, reads);
    return {
      name: `History of a year with ${year} turns, by runner`,
      value: `${times.yearMs.toFixed(0)} ms`,
      goal: `≤ ${HISTORY_GOAL_MS} ms`,
      reached: times.yearMs <= HISTORY_GOAL_MS,
      detail: `a day in five minutes ${times.dayMs.toFixed(0)} ms, its sessions ${times.sessionsMs.toFixed(0)} ms; rolled up in ${rollUpMs.toFixed(0)} ms`,
    };
  },
  async transcripts({ sql, url }, { archived, port }) {
    const random = createRandom(11);
    const words = createWords(random);
    const { sessions, megabytes, long } = archived;
    const bytes = megabytes * 1_000_000;
    const options = { sessions, archives: 10, bytes, phrase: PHRASE, farPhrase: FAR_PHRASE };
    const filled = await fillArchives(sql, words, random, options);
    await sql`analyze`;
    const search = await withServer({ databaseUrl: url, port }, async (server) => ({
      rare: await measureSearch(server, PHRASE, SEARCHES),
      far: await measureSearch(server, FAR_PHRASE, SEARCHES),
      common: await measureSearch(server, 'the file', SEARCHES),
      // Any two of these words occur together nearly everywhere, all of them nowhere.
      scattered: await measureSearch(server, 'file the error of line not', SEARCHES),
      nowhere: await measureSearch(server, 'the harbour master of atlantis', SEARCHES),
    }));
    if (search.rare.found !== 10 || search.far.found !== 10) throw new Error('the phrases were not found');
    const opened = await measureLong(sql, words, random, long * 1_000_000, 10);
    return {
      name: `A phrase in ${filled.archives} archives of ${(filled.bytes / 1e9).toFixed(1)} GB`,
      value: `${search.rare.mostMs.toFixed(0)} ms`,
      goal: `≤ ${SEARCH_GOAL_MS} ms`,
      reached: Object.values(search).every(({ mostMs }) => mostMs <= SEARCH_GOAL_MS),
      detail:
        `over HTTP, median and 95 of 100; ${(filled.uniqueBytes / 1e6).toFixed(0)} MB of it unique; ` +
        Object.entries(search)
          .map(
            ([name, { medianMs, mostMs, found, isComplete }]) =>
              `${name} ${medianMs.toFixed(0)} and ${mostMs.toFixed(0)} ms (in ${found}${isComplete ? '' : ' so far'})`,
          )
          .join(', ') +
        '; ' +
        `of ${long} MB (${opened.entries} entries) the outline ${opened.outlineMs.toFixed(0)} ms, 50 messages ${opened.messagesMs.toFixed(0)} ms; ` +
        `secrets looked for in ${(opened.scanMs / 1000).toFixed(0)} s, read and indexed in ${(opened.readMs / 1000).toFixed(0)} s`,
    };
  },
  async 'transcript-page'(_, { archived }) {
    const random = createRandom(13);
    const bytes = archived.long * 1_000_000;
    const browser = process.env.E2E_BROWSER_PATH ?? '/usr/bin/chromium';
    const times = await measurePage(createWords(random), random, { bytes, runs: PAGE_RUNS, browser });
    const openMs = median(times.openMs);
    const paintedMs = median(times.paintedMs);
    const each = (all: readonly number[]) => all.map((ms) => ms.toFixed(0)).join(', ');
    return {
      name: `A transcript of ${archived.long} MB in a browser: its first messages, and until it scrolls and answers as at rest`,
      value: `${paintedMs.toFixed(0)} and ${openMs.toFixed(0)} ms`,
      goal: `≤ ${PAGE_GOAL_MS} ms each`,
      reached: paintedMs <= PAGE_GOAL_MS && openMs <= PAGE_GOAL_MS,
      detail:
        `medians of ${each(times.paintedMs)} and of ${each(times.openMs)}; ` +
        `a turn of the wheel and a press ${median(times.answerMs).toFixed(0)} ms at rest, ` +
        `a page of the same application that shows a sentence ${median(times.emptyMs).toFixed(0)} ms; while it scrolls 19 of 20 frames within ` +
        `${times.frameMs.toFixed(0)} ms, the longest ${times.longestFrameMs.toFixed(0)} ms; handed over and read in ${(times.readMs / 1_000).toFixed(0)} s`,
    };
  },
  async 'fleet-page'(database, { page, port }) {
    const { views, looks, turnsPerSecond } = await measureFleetPage(database, { ...page, port });
    const longest = (pick: (look: PageLook) => PageTask[]) => {
      const tasks = looks.flatMap(pick);
      return {
        wallMs: Math.max(0, ...tasks.map(({ wallMs }) => wallMs)),
        cpuMs: Math.max(0, ...tasks.map(({ cpuMs }) => cpuMs)),
      };
    };
    const parts = {
      loading: longest(({ loading }) => loading),
      watched: longest(({ watching }) => watching),
      'in use': longest(({ acting }) => acting),
    };
    const taskTexts = Object.entries(parts).map(
      ([name, { wallMs, cpuMs }]) => `${name} ${wallMs.toFixed(0)} ms (${cpuMs.toFixed(0)} ms of processor)`,
    );
    const task = Math.max(...Object.values(parts).map(({ wallMs }) => wallMs));
    const events = looks.flatMap((look) => look.events);
    const act = quantile(events, 0.95);
    const view = median(views.map(({ firstViewMs }) => firstViewMs));
    return {
      name: `Longest task of the fleet page with ${page.sessions} sessions at ${page.turnsPerSecond} turns/s`,
      value: `${task.toFixed(0)} ms`,
      goal: `≤ ${TASK_GOAL_MS} ms, acts ≤ ${ACT_GOAL_MS} ms, first view ≤ ${VIEW_GOAL_MS} ms`,
      reached: task <= TASK_GOAL_MS && act <= ACT_GOAL_MS && view <= VIEW_GOAL_MS,
      detail:
        `${taskTexts.join(', ')}; ` +
        `95 of 100 acts within ${act.toFixed(0)} ms, all ${events.length} within ${Math.max(...events).toFixed(0)} ms; ` +
        `first view ${view.toFixed(0)} ms (median of ${views.length}), all sessions ${median(views.map(({ completeMs }) => completeMs)).toFixed(0)} ms; ` +
        `${turnsPerSecond.toFixed(0)} turns/s sent`,
    };
  },
};

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

async function main(): Promise<void> {
  // Child processes with their own sessions get no interrupt from the terminal; `exit` ends them.
  process.once('SIGINT', () => process.exit(130));
  const { values } = parseArgs({
    options: { only: { type: 'string' }, quick: { type: 'boolean' }, port: { type: 'string' } },
  });
  const names = values.only?.split(',') ?? Object.keys(MEASUREMENTS);
  const scale: Scale = { ...(values.quick ? QUICK : FULL), port: Number(values.port ?? 4_729) };
  const rows: BenchRow[] = [];
  for (const name of names) {
    const measure = MEASUREMENTS[name];
    if (!measure)
      throw new Error(`there is no measurement "${name}"; there are ${Object.keys(MEASUREMENTS).join(', ')}`);
    process.stderr.write(`${name} …\n`);
    const database = await startBenchDatabase();
    try {
      rows.push(await measure(database, scale));
    } finally {
      await database.stop();
    }
  }
  process.stdout.write(`${formatRows(rows)}\n`);
  if (rows.some(({ reached }) => !reached)) process.exitCode = 1;
}

await main();
