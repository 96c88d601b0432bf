/**
 * `npm run forecast -- DIR...`
 *
 * Reads every transcript below the folders (Claude Code and Codex) and judges the forecast at a quarter, half and three
 * quarters of each context, with the typical turn of the other sessions: first for compacted contexts, then for all long
 * contexts towards their highest level. Each figure has a 90 % interval. Sends nothing.
 */
import { createCallOwners, placeAmendments } from '../../core/agents/testing/measure-sessions';
import { collectSources } from '../../runner/src/transcripts/collect-sources';
import { readSession } from '../../runner/src/transcripts/testing/read-session';
import { judgeContexts, judgeGoal, LEAST_TURNS } from './judge';
import { type ReplayedContext, replaySession } from './replay-session';

async function main(): Promise<number> {
  const folders = process.argv.slice(2);
  if (folders.length === 0) {
    console.error('usage: npm run forecast -- DIR...');
    return 2;
  }
  const { sessions, skipped } = await collectSources(folders);
  for (const { path, reason } of skipped) console.log(`skipped: ${path}: ${reason}`);
  const owners = createCallOwners();
  const contexts: ReplayedContext[] = [];
  for (const session of sessions) {
    const { items } = await readSession(session, { owners, content: false });
    contexts.push(...replaySession(session.session, placeAmendments(items)));
  }
  const byHand = contexts.filter(({ endedBy }) => endedBy === 'hand').length;
  const short = contexts.filter(({ moments }) => moments.length < LEAST_TURNS).length;
  console.log(`${sessions.length} sessions, ${contexts.length} contexts (${short} below ${LEAST_TURNS} turns, ${byHand} compacted by hand)
Goal: smaller error than both slopes, and 75 to 85 % of outcomes within the 80 % range
open: the figures miss the goal, but the cases are too few to exclude it`);
  printTables(contexts);
  return 0;
}

const TARGETS = [
  ['boundary', 'contexts that ended in a compaction (by hand: until the highest level they reached)'],
  ['level', `all contexts of ${LEAST_TURNS} turns or more`],
] as const;

function printTables(contexts: readonly ReplayedContext[]): void {
  for (const unit of ['turns', 'minutes'] as const) {
    for (const [target, name] of TARGETS) {
      console.log(`\n${unit}: ${name}`);
      console.table(
        [0.25, 0.5, 0.75].map((share) => {
          const cases = judgeContexts(contexts, share, target);
          const { verdict, interval, better, goal, sessions } = judgeGoal(cases, unit);
          const figure = (key: keyof typeof verdict) =>
            `${percent(verdict[key])} (${interval(key).map(percent).join(' to ')})`;
          return {
            at: percent(share),
            cases: `${cases.length} of ${sessions} sessions`,
            'too early': cases.filter(({ [unit]: { forecast } }) => forecast === null).length,
            error: figure('error'),
            'mean slope': figure('meanSlope'),
            'last 20 turns': figure('lastSlope'),
            'better in': `${percent(better)} of samples`,
            coverage: figure('coverage'),
            goal,
          };
        }),
      );
    }
  }
}

function percent(share: number): string {
  return Number.isFinite(share) ? `${Math.round(share * 100)} %` : '–';
}

process.exitCode = await main();
