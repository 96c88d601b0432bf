import { relative } from 'node:path';
import { READ_CLIENTS } from '../../../core/agents/clients';
import { inspectQueues } from '../queue/open-queue';
import { collectSources } from '../transcripts/collect-sources';
import { FeedStore } from '../transcripts/feed-store';
import {
  type ImportProgress,
  type ImportSummary,
  importTranscripts,
} from '../transcripts/import-transcripts';
import { type ClientTotals, ProjectClients, RUNNERS } from '../transcripts/project-clients';
import { type Command, type CommandContext, numberValue, type Output, TRANSCRIPT_OPTIONS } from './command';
import { settingsFor } from './connection';
import { formatBytes, formatCount } from './output';
import { isComplete, noteCompleted, prepareUpload, printArchives, uploadArchives } from './upload-archives';

const ROUND_MS = 500;
/** Failures that waiting cannot resolve. */
const HOPELESS: ReadonlySet<string> = new Set(['unauthorized', 'unsupported_version']);
/** Maximum number of refused items to print; further ones are only counted. */
const MAX_REFUSALS = 20;
const LEFT_OUT: Record<string, string> = {
  synthetic: 'synthetic messages',
  undecodable: 'undecodable remainders',
  invalid: 'calls with unreadable usage',
  usageConflicts: 'lines with conflicting usage',
};

export const importCommand: Command = {
  name: 'import',
  summary: 'import existing transcripts',
  usage: 'barograph import PATH… [OPTIONS]',
  details: `Reads transcripts of ${READ_CLIENTS}: one file with its sub-agents, a session's folder,
or any folder above. Sessions become history, with the times in the transcripts. A second run changes nothing, and a file
that grew adds only what is new. Links below PATH are followed, each target once. The command
ends when the server has acknowledged everything.
Exit code: 0 all stored, 1 something was skipped, 2 wrong usage, 130 interrupted.

It also uploads this machine's archives, and for each compaction the transcript before it: to a server on
this machine, and to any other server only with --upload-archives on.`,
  options: {
    ...TRANSCRIPT_OPTIONS,
    again: { type: 'boolean', help: 'read every file from its start; the server ignores duplicates' },
    'timeout-seconds': {
      type: 'string',
      value: 'N',
      help: 'give up when the server acknowledges nothing for this long (default 60)',
    },
  },
  positionals: { least: 1, most: Number.POSITIVE_INFINITY },
  run: runImport,
};

async function runImport(context: CommandContext): Promise<number> {
  const { values, positionals, out, signal } = context;
  const idleMs = 1000 * (numberValue(values, 'timeout-seconds', 1, 86_400) ?? 60);
  const settings = settingsFor(values);
  const { sessions, skipped } = await collectSources(positionals);
  for (const { path, reason } of skipped) out.problem(`skipped: ${path}: ${reason}`);
  const missing = skipped.some(({ isFault }) => isFault);
  if (sessions.length === 0) {
    out.problem('Nothing to import.');
    return 1;
  }
  let refused = 0;
  const clients = new ProjectClients({
    settings,
    onRefused: ({ type, session, code, field, reason }) => {
      refused += 1;
      const what = `${type ?? 'item'} of ${session ?? '?'}`;
      if (refused <= MAX_REFUSALS) out.problem(`refused: ${what}: ${`${code} ${field}`.trim()}: ${reason}`);
    },
  });
  const store = new FeedStore(settings.queueFolder, settings);
  const prepared = prepareUpload(settings, context, store);
  const summary = await importTranscripts(sessions, {
    settings,
    store,
    clients,
    signal,
    onCompaction: noteCompleted(prepared, context),
    again: values.again === true,
    onProgress: (progress) => out.progress(describe(progress)),
  });
  // Also send what an interrupted run left in its queues.
  for (const { source, runner, inUse, items, ...identity } of inspectQueues(settings.queueFolder)) {
    const isOurs = source === 'transcript' && RUNNERS.includes(runner.name) && !inUse;
    if (isOurs && items > 0) await clients.of({ ...identity, runner: runner.name });
  }
  const problem = await waitUntilDelivered(clients, context, idleMs);
  const canUpload = problem === null && prepared.allowed;
  const archives = canUpload ? await uploadArchives(prepared.upload, clients, context, idleMs) : null;
  out.progress(null);
  const totals = clients.totals();
  await clients.close(1_000);
  printSummary(out, summary, totals);
  if (refused > MAX_REFUSALS) out.problem(`${formatCount(refused, 'item')} refused.`);
  if (archives !== null) printArchives(out, archives);
  else if (!prepared.allowed && summary.compactions > 0) {
    out.line(`Transcripts stay on this machine: ${prepared.reason}.`);
  }
  if (problem !== null) {
    out.problem(
      `${formatCount(totals.queued, 'item')} wait in ${settings.queueFolder}, not acknowledged by ` +
        `${settings.url}${problem}. Nothing is lost: run the same command again later; ` +
        '`barograph doctor` checks the connection.',
    );
  }
  if (problem === null && summary.files.read > 0) out.line(`See what was imported: ${settings.url}`);
  if (signal.aborted) return 130;
  const isImported = summary.files.failed.length === 0 && refused === 0 && totals.dropped === 0;
  const areArchivesStored = archives === null || isComplete(archives);
  return problem === null && isImported && areArchivesStored && !missing ? 0 : 1;
}

/** Wait until the server acknowledged everything. @returns null, or the cause after `idleMs` without progress. */
async function waitUntilDelivered(
  clients: ProjectClients,
  { out, signal, now }: CommandContext,
  idleMs: number,
): Promise<string | null> {
  let cause = '';
  let last = -1;
  let movedAt = now();
  while (!signal.aborted) {
    const totals = clients.totals();
    if (totals.queued === 0) return null;
    const settled = totals.acknowledged + totals.refused;
    if (settled !== last) movedAt = now();
    last = settled;
    if (now() - movedAt > idleMs) break;
    const { waiting } = clients;
    cause = waiting === undefined ? cause : `: ${waiting.detail.replace(/\.$/, '')}`;
    out.progress(`${formatCount(totals.queued, 'item')} not acknowledged yet${waiting ? cause : ''}`);
    if (waiting !== undefined && HOPELESS.has(waiting.reason)) break;
    await clients.flush(ROUND_MS);
  }
  return cause;
}

function describe({ bytes, totalBytes, files, totalFiles, calls, path }: ImportProgress): string {
  const done = totalBytes === 0 ? files / totalFiles : bytes / totalBytes;
  const percent = Math.floor(100 * done);
  return `${percent} %  ${files}/${totalFiles} files, ${formatCount(calls, 'call')}  ${relative('.', path)}`;
}

function printSummary(
  out: Output,
  { files, sessions, calls, compactions, bytes, notes, joined }: ImportSummary,
  totals: ClientTotals,
): void {
  if (files.read === 0 && files.failed.length === 0) {
    out.line(`Nothing new in ${formatCount(files.unchanged, 'file')}.`);
  } else {
    const unchanged = files.unchanged > 0 ? `, ${formatCount(files.unchanged, 'file')} unchanged` : '';
    // A session of a database has no size of its own.
    const size = bytes === 0 ? '' : ` (${formatBytes(bytes)})`;
    out.line(
      `Imported ${formatCount(calls, 'call')} and ${formatCount(compactions, 'compaction')} of ` +
        `${formatCount(sessions, 'session')} from ${formatCount(files.read, 'file')}${size}${unchanged}.`,
    );
  }
  if (totals.acknowledged > 0) {
    const known = totals.duplicates > 0 ? `, ${totals.duplicates} of them duplicates` : '';
    out.line(`${formatCount(totals.acknowledged, 'item')} acknowledged${known}.`);
  }
  const left = Object.entries(notes).filter(([, count]) => count > 0);
  if (left.length > 0) {
    out.line(`Left out: ${left.map(([name, count]) => `${LEFT_OUT[name]} (${count})`).join(', ')}.`);
  }
  for (const path of joined) {
    out.line(`  \`watch\` followed ${path} from its middle; earlier lines are skipped.`);
  }
  for (const { path, reason } of files.failed) out.problem(`failed: ${path}: ${reason}`);
  if (totals.dropped > 0) out.problem(`${formatCount(totals.dropped, 'item')} dropped: the queue was full.`);
}
