/**
 * `npm run forecast -- DIR`
 *
 * Reads every transcript below DIR that `import` reads. For each context that ended in a compaction, forecasts the end at
 * half of its turns, and compares the forecast with the outcome. Then prints errors at a quarter, half and three
 * quarters, also with the typical growth of the other sessions, and for all contexts with their highest level as the
 * target. Sends nothing.
 */
import { createCallOwners, placeAmendments } from '../../core/agents/testing/measure-sessions';
import type { Range } from '../../core/forecast/count-down';
import { collectSources } from '../../runner/src/transcripts/collect-sources';
import { readSession } from '../../runner/src/transcripts/testing/read-session';
import { type Case, errorOf, judge, judgeByLevel, judgeByOthers, judgeContext } from './judge';
import { type ReplayedContext, replaySession } from './replay-session';

async function main(): Promise<number> {
  const folder = process.argv[2];
  if (folder === undefined) {
    console.error('usage: npm run forecast -- DIR');
    return 2;
  }
  const { sessions, skipped } = await collectSources([folder]);
  for (const { path, reason } of skipped) console.log(`skipped: ${path}: ${reason}`);
  const owners = createCallOwners();
  const contexts: ReplayedContext[] = [];
  for (const session of sessions) {
    const { items } = await readSession(session, { owners, content: false });
    contexts.push(...replaySession(session.session, placeAmendments(items)));
  }
  const compacted = contexts.filter(({ endedBy }) => endedBy === 'compaction');
  console.log(
    `${sessions.length} sessions, ${contexts.length} contexts, ${compacted.length} ended in a compaction\n`,
  );
  console.table(compacted.flatMap((context) => judgeContext(context, 0.5) ?? []).map(rowOf));

  const ways: Record<string, (share: number) => Case[]> = {
    'contexts that ended in a compaction, towards the boundary the session counted down to': (share) =>
      compacted.flatMap((context) => judgeContext(context, share) ?? []),
    'the same, with the typical growth of the other sessions': (share) =>
      judgeByOthers(compacted, contexts, share),
    'all contexts of 25 turns or more, towards the highest level they reached': (share) =>
      judgeByLevel(contexts, share),
  };
  for (const [title, judgeAt] of Object.entries(ways)) {
    console.log(`\n${title}`);
    console.table(
      [0.25, 0.5, 0.75].map((share) => {
        const { cases, silent, ...shares } = judge(judgeAt(share));
        const percents = Object.entries(shares).map(([name, value]) => [name, percent(value)]);
        return { at: percent(share), cases, silent, ...Object.fromEntries(percents) };
      }),
    );
  }
  return 0;
}

function rowOf({ forecast, minutes, meanSlope, realMinutes, ...others }: Case) {
  const { real } = others;
  const text = (range: Range | null) =>
    range === null ? 'too early' : [range.mid, range.low, range.high].map(Math.round).join(', ');
  return {
    ...others,
    'forecast, low, high': text(forecast),
    error: percent(errorOf(forecast?.mid ?? null, real)),
    'mean slope': percent(errorOf(meanSlope, real)),
    'minutes, low, high': text(minutes),
    'real minutes': Math.round(realMinutes),
  };
}

function percent(share: number): string {
  return Number.isFinite(share) ? `${Math.round(share * 100)} %` : '–';
}

process.exitCode = await main();
