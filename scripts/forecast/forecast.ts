/**
 * `npm run forecast -- DIR [--at SHARE] [--numbers FILE]`
 *
 * Reads every transcript below DIR (Claude Code and Codex), forecasts each context that ended in a compaction
 * at half of its turns (or at SHARE of them), and compares the forecast with the outcome. Then the same with a
 * typical growth that was taken from the other sessions alone, so that no session judges itself; and for all
 * contexts, towards the highest level they reached. Nothing is sent anywhere.
 * `--numbers` writes the traces as bare numbers: what the test of the goals keeps.
 */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { type Case, errorOf, judge, judgeContext, laterRate, untilHighest, type Verdict } from './judge';
import { forecastAtRate, forecastOfLevel, type ReplayedContext, replaySession } from './replay-session';
import { readSessions, toNumbers } from './sessions';

const SHARES = [0.25, 0.5, 0.75];

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { at: { type: 'string', default: '0.5' }, numbers: { type: 'string' } },
  });
  const share = Number(values.at);
  const [folder] = positionals;
  if (folder === undefined || !(share > 0 && share < 1)) {
    console.error('usage: npm run forecast -- DIR [--at SHARE], with a share between 0 and 1');
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
  const cases = compacted.flatMap((context) => judgeContext(context, share) ?? []);
  printCases(cases);

  console.log('\nContexts that ended in a compaction, towards the boundary the session counted down to');
  for (const at of SHARES) {
    printVerdict(at, judge(compacted.flatMap((context) => judgeContext(context, at) ?? [])));
  }
  console.log('The same, with a typical growth taken from the other sessions alone');
  for (const at of SHARES) printVerdict(at, judge(judgeByOthers(compacted, contexts, at)));
  console.log('All contexts of 25 turns or more, towards the highest level they reached');
  for (const at of SHARES) {
    const reached = contexts.flatMap((context) => untilHighest(context) ?? []);
    const judged = reached.flatMap(
      ({ context, level }) => judgeContext(context, at, (moment) => forecastOfLevel(moment, level)) ?? [],
    );
    printVerdict(at, judge(judged));
  }
  return 0;
}

function judgeByOthers(
  compacted: readonly ReplayedContext[],
  all: readonly ReplayedContext[],
  share: number,
): Case[] {
  return compacted.flatMap((context) => {
    const rate = laterRate(all.filter(({ session }) => session !== context.session));
    if (rate === null) return [];
    return judgeContext(context, share, (moment) => forecastAtRate(moment, rate)) ?? [];
  });
}

function printCases(cases: readonly Case[]): void {
  const rows = cases.map(
    ({ name, turns, after, real, forecast, meanSlope, lastTurns, minutes, realMinutes }) => [
      name,
      String(turns),
      String(after),
      String(real),
      forecast === null ? 'too early' : `${forecast.mid} (${forecast.low}–${forecast.high})`,
      forecast === null ? '' : percent(errorOf(forecast.mid, real)),
      forecast === null ? '' : forecast.low <= real && real <= forecast.high ? 'within' : 'outside',
      percent(errorOf(meanSlope, real)),
      percent(errorOf(lastTurns, real)),
      minutes === null
        ? ''
        : `${Math.round(minutes.mid)} (${Math.round(minutes.low)}–${Math.round(minutes.high)})`,
      String(Math.round(realMinutes)),
    ],
  );
  const head = [
    'context',
    'turns',
    'after',
    'real',
    'forecast',
    'error',
    'range',
    'mean slope',
    'last 20',
    'minutes',
    'real',
  ];
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]?.length ?? 0)));
  for (const row of [head, ...rows]) {
    console.log(
      row
        .map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
        .join('  '),
    );
  }
}

function printVerdict(share: number, verdict: Verdict): void {
  const { cases, silent, error, coverage, meanSlopeError, lastTurnsError, minutesError, minutesCoverage } =
    verdict;
  console.log(
    `  at ${percent(share)}: ${cases} cases${silent === 0 ? '' : ` (${silent} too early to say)`}, median error ` +
      `${percent(error)} (mean slope ${percent(meanSlopeError)}, last 20 turns ${percent(lastTurnsError)}), ` +
      `80 % range covers ${percent(coverage)}; minutes: error ${percent(minutesError)}, covers ${percent(minutesCoverage)}`,
  );
}

function percent(share: number): string {
  return Number.isFinite(share) ? `${Math.round(share * 100)} %` : '–';
}

process.exitCode = await main();
