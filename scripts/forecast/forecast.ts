/**
 * `npm run forecast -- DIR...`
 *
 * Reads every transcript below the folders (Claude Code and Codex) and judges the forecast at a quarter, half and three
 * quarters of each context, with the typical turn of the other sessions, and the compaction points that the server would
 * have learned from earlier ones. First for compacted contexts, then for all long contexts towards their highest level.
 * Each figure has a 90 % interval. Sends nothing.
 */
import type { TranscriptItem } from '../../core/agents/agent-format';
import { createCallOwners, placeAmendments } from '../../core/agents/testing/measure-sessions';
import { collectSources } from '../../runner/src/transcripts/collect-sources';
import { readSession } from '../../runner/src/transcripts/testing/read-session';
import {
  type Case,
  chanceOfGoal,
  judgeContexts,
  judgeGoal,
  LEAST_TURNS,
  type Unit,
  widenedCoverage,
} from './judge';
import { replaySession } from './replay-session';

async function main(): Promise<number> {
  const folders = process.argv.slice(2);
  if (folders.length === 0) {
    console.error('usage: npm run forecast -- DIR...');
    return 2;
  }
  const { sessions, skipped } = await collectSources(folders);
  for (const { path, reason } of skipped) console.log(`skipped: ${path}: ${reason}`);
  const owners = createCallOwners();
  const read: { session: string; items: TranscriptItem[] }[] = [];
  for (const session of sessions) {
    const { items } = await readSession(session, { owners, content: false });
    read.push({ session: session.session, items: placeAmendments(items) });
  }
  const earlier: Parameters<typeof replaySession>[2] = [];
  const startOf = ({ items: [first] }: (typeof read)[number]) => first?.at ?? 0;
  const contexts = read
    .toSorted((a, b) => startOf(a) - startOf(b))
    .flatMap(({ session, items }) => replaySession(session, items, earlier));
  const byHand = contexts.filter(({ endedBy }) => endedBy === 'hand').length;
  const short = contexts.filter(({ moments }) => moments.length < LEAST_TURNS).length;
  console.log(`${sessions.length} sessions, ${contexts.length} contexts (${short} below ${LEAST_TURNS} turns, ${byHand} compacted by hand)

${LEGEND}`);
  for (const unit of ['turns', 'minutes'] as const) {
    for (const [target, name] of TARGETS) {
      console.log(`\n${unit === 'turns' ? 'Turns' : 'Minutes of work'} ${name}`);
      const judged = SHARES.map((share) => ({ share, cases: judgeContexts(contexts, share, target) }));
      printTable(judged.map(({ share, cases }) => figuresOf(cases, share, unit)));
      for (const { share, cases } of judged) {
        const note = noteOn(cases, unit);
        if (note !== null) console.log(`  At ${percent(share)} %: ${note}`);
      }
    }
  }
  return 0;
}

const SHARES = [0.25, 0.5, 0.75];
const TARGETS = [
  ['boundary', 'until the compaction (if compacted by hand: until the highest level of the context)'],
  ['level', `until the highest level, all contexts of ${LEAST_TURNS} turns or more`],
] as const;
const LEGEND = `A forecast is made after a quarter, half and three quarters of the turns of each context, and compared with the rest.
  too early      cases without a forecast
  error          median of |forecast − actual| / actual
  mean slope     the same error for a straight line through the whole context so far
  last 20 turns  the same error for a straight line through the last 20 turns
  better         share of 500 samples of the sessions in which the forecast has the smallest error
  in range       actual values within the 80 % range
  width          factor by which the range has to be wider to contain 80 %
  widened        actual values within the range, if it is widened by the factor of the other sessions
  goal           met: the smallest error, and 75 to 85 % in range; open: not met, but the cases are too few to exclude it
Intervals in brackets have a confidence of 90 %. The contexts of a session count as one sample.`;

/** The columns of a row, by their titles. */
function figuresOf(cases: readonly Case[], share: number, unit: Unit): Record<string, string> {
  const { verdict, interval, better, goal, sessions } = judgeGoal(cases, unit);
  const figure = (key: keyof typeof verdict) =>
    `${percent(verdict[key])} % (${interval(key).map(percent).join('–')})`;
  return {
    at: `${percent(share)} %`,
    cases: String(cases.length),
    sessions: String(sessions),
    'too early': String(cases.filter(({ [unit]: { forecast } }) => forecast === null).length),
    error: figure('error'),
    'mean slope': figure('meanSlope'),
    'last 20 turns': figure('lastSlope'),
    better: `${percent(better)} %`,
    'in range': figure('coverage'),
    width: `${verdict.width.toFixed(2)} (${interval('width')
      .map((factor) => factor.toFixed(2))
      .join('–')})`,
    widened: `${percent(widenedCoverage(cases, unit))} %`,
    goal,
  };
}

/** What a coverage outside 75 to 85 % shows. Null if it is inside. */
function noteOn(cases: readonly Case[], unit: Unit): string | null {
  const { verdict, interval } = judgeGoal(cases, unit);
  const { coverage, outcomes } = verdict;
  if (!(coverage < 0.75 || coverage > 0.85)) return null;
  const [low, high] = interval('coverage');
  const chance = chanceOfGoal(outcomes);
  const inRange = `${Math.round(coverage * outcomes)} of ${outcomes} in range`;
  if (low > 0.8 || high < 0.8) return `${inRange}. The interval excludes 80 %.`;
  return `${inRange}. The interval contains 80 %, so these cases do not contradict the range. ${
    chance === 0
      ? `No number of ${outcomes} cases is between 75 and 85 %.`
      : `A range of exactly 80 % has 75 to 85 % of ${outcomes} cases in ${percent(chance)} % of all samples.`
  }`;
}

function printTable(rows: readonly Record<string, string>[]): void {
  const titles = Object.keys(rows[0] ?? {});
  const lines = [titles, ...rows.map((row) => titles.map((title) => row[title] ?? ''))];
  const widths = titles.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  for (const line of lines)
    console.log(`  ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd());
}

function percent(share: number): string {
  return Number.isFinite(share) ? String(Math.round(share * 100)) : '–';
}

process.exitCode = await main();
