/**
 * `npm run bench` measures performance, and ends with 1 if a goal is missed.
 *
 * `-- --only size,package,runner,ingest,neighbours,alerts,push,watch,series,history,transcripts,transcript-page,fleet-page` selects measurements, `--quick` runs
 * smaller ones. Ratios and sizes are comparable between machines; times of pages need an idle machine.
 */
import { parseArgs } from 'node:util';
import { measureFleetPage } from './fleet-page/measure-fleet-page';
import { type BenchDatabase, startBenchDatabase } from './lib/bench-database';
import { type Figure, isReached, printFigures } from './lib/figures';
import { measureAlerts } from './measure-alerts';
import { measureHistory } from './measure-history';
import { measureIngest } from './measure-ingest';
import { measureNeighbours } from './measure-neighbours';
import { measurePackage } from './measure-package';
import { measurePush } from './measure-push';
import { measureRunner } from './measure-runner';
import { measureSeries } from './measure-series';
import { measureSize } from './measure-size';
import { measureWatch } from './measure-watch';
import { measureTranscriptPage } from './transcripts/measure-page';
import { measureTranscripts } from './transcripts/measure-transcripts';

const FULL = {
  turnsPerConnection: 500,
  rounds: 5,
  acks: 1_000,
  longSession: 1_000_000,
  /** Turns in the year. */
  year: 200_000,
  reads: 100,
  /** Each session has ten archives. Sizes are in megabytes: of a session's last archive, and of the long transcript. */
  archived: { sessions: 100, megabytes: 6, long: 100 },
  page: { sessions: 10_000, turnsPerSecond: 500, rounds: 3 },
  push: { seconds: 10, largeFleet: 10_000 },
  /** Calls in a followed transcript. */
  watched: 40,
  neighbours: { rounds: 5, seconds: 20, stored: 9_500, chains: 5_000 },
  alerts: { rounds: 9, seconds: 20 },
};
type Scale = typeof FULL;
const QUICK: Scale = {
  turnsPerConnection: 100,
  rounds: 3,
  acks: 200,
  longSession: 20_000,
  year: 20_000,
  reads: 30,
  archived: { sessions: 10, megabytes: 2, long: 10 },
  page: { sessions: 1_000, turnsPerSecond: 100, rounds: 1 },
  push: { seconds: 3, largeFleet: 10_000 },
  watched: 10,
  neighbours: { rounds: 3, seconds: 8, stored: 2_100, chains: 1_000 },
  alerts: { rounds: 5, seconds: 5 },
};

const MEASUREMENTS: Record<string, (database: BenchDatabase, scale: Scale) => Promise<Figure[]>> = {
  size: measureSize,
  package: measurePackage,
  runner: measureRunner,
  ingest: measureIngest,
  neighbours: measureNeighbours,
  alerts: (database, { alerts }) => measureAlerts(database, alerts),
  push: (database, { push }) => measurePush(database, push),
  watch: (database, { watched }) => measureWatch(database, watched),
  series: measureSeries,
  history: measureHistory,
  transcripts: (database, { archived }) => measureTranscripts(database, archived),
  'transcript-page': (_, { archived }) => measureTranscriptPage(archived.long),
  'fleet-page': (database, { page }) => measureFleetPage(database, page),
};

// Child processes with their own sessions get no interrupt from the terminal; `exit` ends them.
process.once('SIGINT', () => process.exit(130));
const { values } = parseArgs({ options: { only: { type: 'string' }, quick: { type: 'boolean' } } });
const figures: Figure[] = [];
for (const name of values.only?.split(',') ?? Object.keys(MEASUREMENTS)) {
  const measure = MEASUREMENTS[name];
  if (!measure)
    throw new Error(`there is no measurement "${name}", only ${Object.keys(MEASUREMENTS).join(', ')}`);
  process.stderr.write(`${name} …\n`);
  const database = await startBenchDatabase();
  try {
    figures.push(...(await measure(database, values.quick ? QUICK : FULL)));
  } finally {
    await database.stop();
  }
}
printFigures(figures);
if (!figures.every(isReached)) process.exitCode = 1;
