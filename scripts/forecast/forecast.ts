/**
 * `npm run forecast -- DIR [--numbers FILE]`
 *
 * Reads every transcript below DIR (Claude Code and Codex), forecasts each context that ended in a compaction
 * at half of its turns, and compares the forecast with the outcome. Then the same with a
 * typical growth that was taken from the other sessions alone, so that no session judges itself; and for all
 * contexts, towards the highest level they reached. Nothing is sent anywhere.
 * `--numbers` writes the traces as bare numbers: what the test of the goals keeps.
 */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import type { Range } from '../../core/forecast/count-down';
import { type Case, errorOf, judge, judgeByLevel, judgeByOthers, judgeContext } from './judge';
import { replaySession } from './replay-session';
import { readSessions, toNumbers } from './sessions';

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { numbers: { type: 'string' } },
  });
  const [folder] = positionals;
  if (folder === undefined) {
    console.error('usage: npm run forecast -- DIR [--numbers FILE]');
    return 2;
  }
  const { sessions, skipped } = await readSessions(folder);
  for (const { path, reason } of skipped) console.log(`left out: ${path}: ${reason}`);
  if (values.numbers !== undefined) {
    const traces = sessions.map(({ items }) => JSON.stringify(toNumbers(items)));
    await writeFile(values.numbers, `[\n${traces.join(',\n')}\n]\n`);
  }
  const contexts = sessions.flatMap(({ name, items }) => replaySession(name, items));
  const compacted = contexts.filter(({ endedBy }) => endedBy === 'compaction');
  console.log(
    `${sessions.length} sessions, ${contexts.length} contexts, ${compacted.length} ended in a compaction\n`,
  );
  console.table(compacted.flatMap((context) => judgeContext(context, 0.5) ?? []).map(rowOf));

  const ways: Record<string, (share: number) => Case[]> = {
    'contexts that ended in a compaction, towards the boundary the session counted down to': (share) =>
      compacted.flatMap((context) => judgeContext(context, share) ?? []),
    'the same, with a typical growth taken from the other sessions alone': (share) =>
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

function rowOf({ forecast, minutes, meanSlope, lastTurns, realMinutes, ...others }: Case) {
  const { real } = others;
  const text = (range: Range | null) =>
    range === null ? 'too early' : [range.mid, range.low, range.high].map(Math.round).join(', ');
  return {
    ...others,
    'forecast, low, high': text(forecast),
    error: percent(errorOf(forecast?.mid ?? null, real)),
    'mean slope': percent(errorOf(meanSlope, real)),
    'last 20': percent(errorOf(lastTurns, real)),
    'minutes, low, high': text(minutes),
    'real minutes': Math.round(realMinutes),
  };
}

function percent(share: number): string {
  return Number.isFinite(share) ? `${Math.round(share * 100)} %` : '–';
}

process.exitCode = await main();
