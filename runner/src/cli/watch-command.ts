import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Client } from '../../../core/agents/agent-format';
import { CLIENTS, READ_CLIENTS } from '../../../core/agents/clients';
import { findAgents } from '../connect/agents';
import { MessagePasser } from '../recall/pass-messages';
import { isDatabase } from '../transcripts/database-sources';
import { FeedStore } from '../transcripts/feed-store';
import { ProjectClients } from '../transcripts/project-clients';
import { TranscriptWatcher } from '../transcripts/transcript-watcher';
import type { EntryUpload } from '../upload/upload-entry';
import { BackgroundUpload } from '../upload/upload-pending';
import { type Command, type CommandContext, type Output, TRANSCRIPT_OPTIONS, UsageError } from './command';
import { configFolderFor, settingsFor } from './connection';
import { formatBytes, formatCount } from './output';
import { nameOf, noteCompleted, prepareUpload, reportRefusal } from './upload-archives';

const STATUS_MS = 1_000;
const CLOSE_MS = 3_000;

export const watchCommand: Command = {
  name: 'watch',
  summary: `follow ${READ_CLIENTS} on this machine, live`,
  usage: 'barograph watch [FOLDER…] [OPTIONS]',
  details: `Follows the transcripts of ${READ_CLIENTS} below FOLDER, including new sessions and links,
each target once. The default folders are ${CLIENTS.flatMap(foldersOf).join(', ')}. The first watch skips existing lines, unless --from-start is given. Lines
written between two watches are read at the next start. Ctrl-C ends the command; unacknowledged items are queued on disk.

It also uploads this machine's archives, and for each compaction the transcript before it: to a server on
this machine, and to any other server only with --upload-archives on.`,
  options: {
    ...TRANSCRIPT_OPTIONS,
    'from-start': { type: 'boolean', help: 'also import existing lines, as history' },
  },
  positionals: { least: 0, most: Number.POSITIVE_INFINITY },
  run: runWatch,
};

async function runWatch(context: CommandContext): Promise<number> {
  const { values, positionals, out, signal } = context;
  const settings = settingsFor(values);
  const given = positionals.map((path) => ({ folder: resolve(path) }));
  const places = given.length > 0 ? given : settings.transcripts;
  for (const place of places) await checkFolder(place, out);
  const roots = places.map(({ folder }) => folder);

  let hasRefusals = false;
  const claude = findAgents().find(({ name }) => name === 'claude-code');
  const messages = new MessagePasser({
    configFolder: configFolderFor(values),
    settingsFile: claude?.file ?? null,
    now: context.now,
  });
  const clients = new ProjectClients({
    settings,
    commandsOf: messages.commandsOf,
    onCommand: messages.take,
    onRefused: (refused) => {
      hasRefusals = true;
      out.problem(`refused: ${refused.type ?? 'item'} of ${refused.session ?? '?'}: ${refused.reason}`);
    },
  });
  const store = new FeedStore(settings.queueFolder, settings);
  const prepared = prepareUpload(settings, context, store);
  const background = prepared.allowed ? uploadInBackground(prepared.upload, clients, context) : null;
  const note = noteCompleted(prepared, context);
  const watcher = new TranscriptWatcher({
    settings,
    store,
    clients,
    roots,
    fromStart: values['from-start'] === true,
    now: context.now,
    // Once this line is printed, new sessions are followed from their first line.
    onBegin: () => {
      out.line(`Watching ${roots.join(', ')} for ${settings.url}. Ctrl-C ends it.`);
      if (!prepared.allowed) out.line(`Transcripts stay on this machine: ${prepared.reason}.`);
    },
    onFollow: (path) => out.line(`following ${path}`),
    onProblem: (path, reason) => out.problem(`${path}: ${reason}`),
    onCompaction: async (...found) => {
      await note(...found);
      background?.wake();
    },
  });
  await watcher.start();
  background?.wake();
  const stopStatus = showStatus(out, watcher, clients);
  if (!signal.aborted)
    await new Promise<void>((done) => signal.addEventListener('abort', () => done(), { once: true }));
  stopStatus();
  await watcher.stop();
  await background?.stop();
  messages.stop();
  await clients.close(CLOSE_MS);
  const { calls, compactions } = watcher.stats();
  const { queued } = clients.totals();
  out.line(
    `Stopped. ${formatCount(calls, 'call')} and ${formatCount(compactions, 'compaction')} reported` +
      `${queued > 0 ? `; ${formatCount(queued, 'item')} are queued on disk for the next start` : ''}.`,
  );
  return hasRefusals ? 1 : 0;
}

function uploadInBackground(
  upload: EntryUpload,
  clients: ProjectClients,
  { out, now }: CommandContext,
): BackgroundUpload {
  let shownReason = '';
  return new BackgroundUpload({
    ...upload,
    onOutcome: async (entry, outcome) => {
      await reportRefusal(clients, entry, outcome, now());
      const reason = outcome.state === 'stored' ? '' : outcome.reason;
      if (outcome.state === 'stored')
        out.line(`uploaded ${nameOf(entry)} (${formatBytes(entry.bytes ?? 0)})`);
      else if (outcome.state === 'refused') out.problem(`not uploaded: ${nameOf(entry)}: ${reason}`);
      else if (reason !== shownReason) out.problem(`archives wait: ${reason}`);
      shownReason = reason;
    },
    onProblem: (reason) => out.problem(`archives wait: ${reason}`),
  });
}

function foldersOf({ transcripts }: Client): string[] {
  if (transcripts === undefined) return [];
  const { variable, home, folders } = transcripts;
  return folders.map((folder) => `${['~', home, folder].filter(Boolean).join('/')} ($${variable})`);
}

type Place = { folder: string; client?: string; isMain?: boolean };

/** A given folder must exist; a client's default folder may appear with the first session. */
async function checkFolder({ folder, client, isMain }: Place, out: Output) {
  const info = await stat(folder).catch(() => null);
  if (info?.isDirectory() || (info !== null && isDatabase(folder))) return;
  if (client === undefined) throw new UsageError(`"${folder}" is not a folder.`);
  if (isMain)
    out.line(`${folder} does not exist yet: sessions appear as soon as ${client} writes the first one.`);
}

function showStatus(out: Output, watcher: TranscriptWatcher, clients: ProjectClients): () => void {
  let shown = '';
  const timer = setInterval(() => {
    const { files, calls, compactions } = watcher.stats();
    const { queued } = clients.totals();
    out.progress(
      `${formatCount(files, 'file')}, ${formatCount(calls, 'call')}, ${formatCount(compactions, 'compaction')}` +
        `${queued > 0 ? `, ${queued} queued` : ''}`,
    );
    const reason = clients.waiting?.detail ?? '';
    if (reason !== '' && reason !== shown)
      out.problem(`The server does not respond (${reason}); items are queued on disk.`);
    if (reason === '' && shown !== '' && clients.clients.length > 0) out.line('The server answers again.');
    shown = reason;
  }, STATUS_MS);
  return () => {
    clearInterval(timer);
    out.progress(null);
  };
}
