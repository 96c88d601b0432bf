/**
 * `npm run forecast -- DIR`
 *
 * Reads every transcript below DIR (Claude Code and Codex) and judges the forecast at a quarter, half and three quarters
 * of each context, with the typical turn of the other sessions: first for contexts that ended in a compaction, then for
 * all long contexts towards the highest level they reached. Each figure has a 90 % interval. Sends nothing.
 */
import { createCallOwners, placeAmendments } from '../../core/agents/testing/measure-sessions';
import { collectSources } from '../../runner/src/transcripts/collect-sources';
import { readSession } from '../../runner/src/transcripts/testing/read-session';
import { intervals, judge, judgeContexts } from './judge';
import { readCodex } from './read-codex';
import { type ReplayedContext, replaySession } from './replay-session';

async function main(): Promise<number> {
  const folder = process.argv[2];
  if (folder === undefined) {
    console.error('usage: npm run forecast -- DIR');
    return 2;
  }
  const { sessions, skipped } = await collectSources([folder], 'all');
  for (const { path, reason } of skipped) console.log(`skipped: ${path}: ${reason}`);
  const owners = createCallOwners();
  const contexts: ReplayedContext[] = [];
  for (const session of sessions) {
    const [source] = session.sources;
    const items =
      source?.format.createParser === undefined
        ? await readCodex(source?.path ?? '', session.session)
        : (await readSession(session, { owners, content: false })).items;
    contexts.push(...replaySession(session.session, placeAmendments(items)));
  }
  console.log(`${sessions.length} sessions, ${contexts.length} contexts`);
  printTables(contexts);
  return 0;
}

function printTables(contexts: readonly ReplayedContext[]): void {
  for (const unit of ['turns', 'minutes'] as const) {
    for (const target of ['boundary', 'level'] as const) {
      const name =
        target === 'boundary' ? 'contexts that ended in a compaction' : 'all contexts of 25 turns or more';
      console.log(`\n${unit}: ${name}`);
      console.table(
        [0.25, 0.5, 0.75].map((share) => {
          const cases = judgeContexts(contexts, share, target);
          const verdict = judge(cases, unit);
          const range = intervals(cases, unit);
          const silent = cases.filter(({ [unit]: { forecast } }) => forecast === null).length;
          const figure = (key: keyof typeof verdict) =>
            `${percent(verdict[key])} (${range(key).map(percent).join(' to ')})`;
          return {
            at: percent(share),
            cases: cases.length,
            'too early': silent,
            error: figure('error'),
            'mean slope': figure('meanSlope'),
            'last 20 turns': figure('lastSlope'),
            coverage: figure('coverage'),
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
