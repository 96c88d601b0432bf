/** The query of the history page for a year. */
import type postgres from 'postgres';
import { median } from '../core/forecast/median';
import { rollUpAll } from '../db/history/history-testing';
import { loadHistory } from '../db/queries/history/load-history';
import { type BenchDatabase, openBenchStream, record } from './lib/bench-database';
import { type Figure, timed, timeReads } from './lib/figures';
import { createTurnSource } from './lib/make-turns';
import { createRandom } from './lib/random';

const PROJECTS = 6;
const RUNNERS = 4;
const MODELS = ['claude-opus-4-1-20250805', 'claude-sonnet-4-5', 'gpt-5'];
const TURNS_PER_SESSION = 250;
const EVERY_MS = 30_000;
const DAY_MS = 86_400_000;
const SESSIONS_AT_ONCE = 20;

export async function measureHistory(
  { sql }: BenchDatabase,
  { year, reads }: { year: number; reads: number },
): Promise<Figure[]> {
  const to = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  await fillYear(sql, year, to);
  const rollUpMs = await timed(() => rollUpAll(sql));
  await sql`analyze`;
  const whole = { from: to - 365 * DAY_MS, to };
  const yearTimes = await timeReads(reads, async () => {
    const { points, groups } = await loadHistory(
      sql,
      { ...whole, by: 'runner', groups: 40, zone: 'Europe/Berlin' },
      to,
    );
    if (points.length < year / 1_000 || groups.length < 2) throw new Error('the year is empty');
  });
  const unit = 'ms';
  return [
    { name: `History of a year with ${year} turns, by runner`, value: median(yearTimes), unit, most: 300 },
    { name: 'Roll-up of the year', value: rollUpMs, unit },
  ];
}

async function fillYear(sql: postgres.Sql, turns: number, to: number): Promise<void> {
  const random = createRandom(11);
  const sessions = Math.ceil(turns / TURNS_PER_SESSION);
  for (let first = 0; first < sessions; first += SESSIONS_AT_ONCE) {
    const deliveries: Parameters<typeof record>[1][number][] = [];
    for (let index = first; index < Math.min(first + SESSIONS_AT_ONCE, sessions); index += 1) {
      // The turns are spread over the year, from 8:00 to 17:00.
      const day = to - 365 * DAY_MS + Math.floor((index / sessions) * 364) * DAY_MS;
      const startAt = day + (8 + random(9)) * 3_600_000 + random(60) * 60_000;
      const project = `project-${random(PROJECTS)}`;
      const stream = await openBenchStream(sql, project, `runner-${random(RUNNERS)}`, 'transcript');
      const model = MODELS[random(MODELS.length)] ?? 'gpt-5';
      const source = createTurnSource(`year-${index}`, index, startAt, { everyMs: EVERY_MS, model });
      deliveries.push({ stream, items: source.next(TURNS_PER_SESSION) });
    }
    await record(sql, deliveries);
  }
}
