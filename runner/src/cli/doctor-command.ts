import { stat } from 'node:fs/promises';
import { readArchiveIndex } from '../archive/archive-index';
import type { ArchiveEntry } from '../archive/archive-types';
import { inspectQueues, type QueueReport } from '../queue/open-queue';
import type { RunnerSettings } from '../settings';
import { listFiles } from '../transcripts/collect-sources';
import { uploadPermission } from '../upload/upload-permission';
import { VERSION } from '../version';
import { CONNECTION_OPTIONS, type Command, type CommandContext, UPLOAD_OPTIONS } from './command';
import { configFolderFor, readOrExplain } from './connection';
import { examineServer, type Finding } from './examine-server';
import { formatBytes, formatCount } from './output';

export const doctorCommand: Command = {
  name: 'doctor',
  summary: 'check the server, the token, the queue and the archives',
  usage: 'barograph doctor [OPTIONS]',
  details: `Checks the connection from this machine to the server without sending data, and prints a remedy for each
problem. Exit code: 0 no problem, 1 a problem.`,
  options: { ...CONNECTION_OPTIONS, ...UPLOAD_OPTIONS },
  positionals: { least: 0, most: 0 },
  run: runDoctor,
};

/** Queues listed by name; the others are counted. */
const MAX_NAMED = 3;
const HOUR_MS = 3_600_000;
const SIGNS = { ok: '✓', note: '·', wrong: '✗' };

async function runDoctor({ values, out, now }: CommandContext): Promise<number> {
  const settings = readOrExplain(values);
  const { queueFolder, content } = settings;
  const findings: Finding[] = [
    { state: 'ok', topic: 'command', text: `barograph ${VERSION}, Node ${process.version}` },
    ...(await examineServer(settings, now)),
    ...describeQueues(inspectQueues(queueFolder, now()), queueFolder, now()),
    await examineTranscripts(settings),
    { state: 'ok', topic: 'content', text: content ? 'titles are sent' : 'off: numbers only' },
    await examineArchives(settings, () => configFolderFor(values)),
  ];
  for (const { state, topic, text, remedy } of findings) {
    out.line(`${SIGNS[state]} ${topic.padEnd(12)}${text}`);
    if (remedy !== undefined) out.line(`  ${''.padEnd(12)}→ ${remedy}`);
  }
  return findings.some(({ state }) => state === 'wrong') ? 1 : 0;
}

async function examineTranscripts({ claudeProjects }: RunnerSettings): Promise<Finding> {
  const topic = 'transcripts';
  const info = await stat(claudeProjects).catch(() => null);
  if (!info?.isDirectory()) {
    const remedy = 'If Claude Code keeps them elsewhere, set CLAUDE_CONFIG_DIR or name the folder.';
    return { state: 'note', topic, text: `none at ${claudeProjects}`, remedy };
  }
  const { length } = await listFiles(claudeProjects);
  return { state: 'ok', topic, text: `${formatCount(length, 'file')} in ${claudeProjects}` };
}

/**
 * What waits to be sent, one finding per server, and per whether a running process sends it.
 * @param now milliseconds since the epoch
 */
export function describeQueues(reports: readonly QueueReport[], folder: string, now: number): Finding[] {
  const kinds = new Map<string, QueueReport[]>();
  for (const report of reports.filter(({ items }) => items > 0)) {
    const kind = `${report.inUse} ${report.url}`;
    kinds.set(kind, [...(kinds.get(kind) ?? []), report]);
  }
  if (kinds.size === 0) return [{ state: 'ok', topic: 'queue', text: `empty (${folder})` }];
  return [...kinds.values()].map((queues) => describeKind(queues, now));
}

function describeKind(queues: readonly QueueReport[], now: number): Finding {
  const sum = (pick: (queue: QueueReport) => number) =>
    queues.reduce((total, queue) => total + pick(queue), 0);
  const count = sum(({ items }) => items);
  const amount = `${formatCount(count, 'item')} (${formatBytes(sum(({ bytes }) => bytes))})`;
  const hours = Math.round((now - Math.min(...queues.map(({ createdAt }) => createdAt))) / HOUR_MS);
  const age = hours < 1 ? 'less than an hour old' : `${queues.length > 1 ? 'up to ' : ''}${hours} h old`;
  const names = [...new Set(queues.map(({ project, runner }) => `${project} by ${runner.name}`))];
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
  const text = `${amount} of ${names.slice(0, MAX_NAMED).join(', ')}${more} for ${queues[0]?.url}, ${age}`;
  if (queues[0]?.inUse) {
    const sender = queues.length > 1 ? 'running processes send them' : 'a running process sends them';
    return { state: 'note', topic: 'queue', text: `${text}; ${sender}` };
  }
  const remedy = 'Nothing is lost: the next `barograph watch` or `import` for that server sends them.';
  return { state: 'note', topic: 'queue', text, remedy };
}

export async function examineArchives(
  settings: RunnerSettings,
  findConfigFolder: () => string,
): Promise<Finding> {
  const topic = 'archives';
  let entries: ArchiveEntry[];
  try {
    ({ entries } = await readArchiveIndex(findConfigFolder()));
  } catch (error) {
    const text = `the index cannot be read: ${error instanceof Error ? error.message : String(error)}`;
    return { state: 'wrong', topic, text, remedy: 'Make it readable: nothing is archived until then.' };
  }
  const stored = entries.filter(({ state }) => state === 'stored');
  const pending = stored.filter(({ upload }) => upload === 'pending');
  const waiting = pending.length > 0 ? `, ${pending.length} not uploaded yet` : '';
  const amount = `${formatCount(stored.length, 'archive')}${waiting}`;
  const permission = uploadPermission(settings);
  if (!permission.allowed) {
    const text = `${amount}; they stay on this machine: ${permission.reason}`;
    const isChoice = settings.uploadArchives !== 'local' || !settings.content || settings.url === null;
    const remedy = 'To upload whole conversations to that server, set BAROGRAPH_UPLOAD_ARCHIVES=on.';
    return { state: 'note', topic, text, ...(isChoice ? {} : { remedy }) };
  }
  const server = permission.isLocal ? 'the server on this machine' : 'the server of this address';
  const text = `${amount}; uploaded to ${server}`;
  const reason = pending.find(({ uploadReason }) => uploadReason)?.uploadReason;
  if (!reason) return { state: 'ok', topic, text };
  return { state: 'note', topic, text: `${text}; last failure: ${reason}` };
}
