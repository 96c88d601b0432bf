/**
 * `npm run recall -- DIR...`
 *
 * Reads every transcript below the folders that is a file of lines. For each compaction it prints what the agent used
 * again in the next context, and how much of it the client's summary and the recall note name. Sends nothing.
 */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isTranscriptPath } from '../../core/agents/registry';
import { listFiles } from '../lib/list-files';
import { type Counts, type MeasuredCompaction, measureTranscript } from './measure';

function main(): number {
  const folders = process.argv.slice(2);
  if (folders.length === 0) {
    console.error('usage: npm run recall -- DIR...');
    return 2;
  }
  const files = folders
    .flatMap((folder) => listFiles(folder, '').map((file) => join(folder, file)))
    .filter(isTranscriptPath);
  const measured = files.flatMap((file) =>
    (measureTranscript(readFileSync(file)) ?? []).map((compaction) => ({ file, compaction })),
  );
  console.table(measured.map(({ file, compaction }) => rowOf(basename(file).slice(0, 24), compaction)));
  const all = measured.map(({ compaction }) => compaction);
  const sum = (pick: (compaction: MeasuredCompaction) => Counts) => {
    const of = (kind: keyof Counts) => all.reduce((total, each) => total + pick(each)[kind], 0);
    return { files: of('files'), commands: of('commands'), messages: of('messages') };
  };
  const total = (pick: (compaction: MeasuredCompaction) => number) =>
    all.reduce((amount, each) => amount + pick(each), 0);
  console.log(`\n${all.length} compactions. Used again in the next context, and named:`);
  console.table({
    'used again': sum(({ again }) => again),
    'summary alone': sum(({ bySummary }) => bySummary),
    'summary and the 3 most recent other files': sum(({ byThree }) => byThree),
    'summary and as many most recent as note lines': sum(({ byRecent }) => byRecent),
    'summary and note': sum(({ byNote }) => byNote),
  });
  const [lines, unused] = [total((each) => each.lines), total((each) => each.unused)];
  console.log(`note lines with files and commands: ${lines}, never used again: ${unused}`);
  const of = (kind: keyof MeasuredCompaction['messages']) => total((each) => each.messages[kind]);
  console.log(
    `messages of the person: ${of('all')}, in the summary ${of('inSummary')}, whole in the note ${of('whole')}, ` +
      `shortened in the note ${of('shortened')}, in neither ${of('missing')} (equal messages count once in the note)`,
  );
  return 0;
}

function rowOf(session: string, each: MeasuredCompaction) {
  const of = (counts: Counts) => `${counts.files} ${counts.commands} ${counts.messages}`;
  return {
    session,
    entry: each.entry,
    'again (files, commands, messages)': of(each.again),
    summary: of(each.bySummary),
    '+3 files': of(each.byThree),
    '+recent': of(each.byRecent),
    '+note': of(each.byNote),
    lines: each.lines,
    unused: each.unused,
    tokens: each.tokens,
    'messages: all, summary, whole, cut, missing': Object.values(each.messages).join(' '),
  };
}

process.exitCode = main();
