/** What `barograph doctor` finds in the queue folder and in the index of archives. */
import { readArchiveIndex } from '../../archive/archive-index';
import type { ArchiveEntry } from '../../archive/archive-types';
import type { QueueReport } from '../../queue/open-queue';
import type { RunnerSettings } from '../../settings';
import { uploadPermission } from '../../upload/upload-permission';
import { formatBytes, formatCount } from '../output';
import type { Finding } from './examine-server';

/** Queues listed by name; the others are counted. */
const MAX_NAMED = 3;
const HOUR_MS = 3_600_000;

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

/** How many archives there are, and where they are uploaded. */
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
