import type { QueueReport } from '../queue/inspect-queues';
import type { Finding } from './finding';
import { formatBytes, formatCount } from './output';

/** Queues that are named one by one; the others are counted. */
const MAX_NAMED = 3;
const HOUR_MS = 3_600_000;

/**
 * What waits to be sent, one finding per server and kind: what a running process sends, and what waits for one.
 * @param now milliseconds since the epoch
 */
export function describeQueues(reports: readonly QueueReport[], folder: string, now: number): Finding[] {
  const kinds = new Map<string, [QueueReport, ...QueueReport[]]>();
  for (const report of reports) {
    if (report.items === 0) continue;
    const kind = `${report.inUse} ${report.url}`;
    const ofKind = kinds.get(kind);
    if (ofKind) ofKind.push(report);
    else kinds.set(kind, [report]);
  }
  if (kinds.size === 0) return [{ state: 'ok', topic: 'queue', text: `empty (${folder})` }];
  return [...kinds.values()].map((queues) => describeKind(queues, now));
}

function describeKind(queues: readonly [QueueReport, ...QueueReport[]], now: number): Finding {
  const [{ url, inUse }] = queues;
  const sum = (pick: (queue: QueueReport) => number) =>
    queues.reduce((total, queue) => total + pick(queue), 0);
  const hours = Math.round((now - Math.min(...queues.map(({ createdAt }) => createdAt))) / HOUR_MS);
  const amount = `${formatCount(
    sum(({ items }) => items),
    'item',
  )} (${formatBytes(sum(({ bytes }) => bytes))})`;
  const age = hours < 1 ? 'less than an hour old' : `${queues.length > 1 ? 'up to ' : ''}${hours} h old`;
  const text = `${amount} of ${namesOf(queues)} for ${url}, ${age}`;
  if (inUse) {
    const sender = queues.length > 1 ? 'running processes send them' : 'a running process sends them';
    return { state: 'note', topic: 'queue', text: `${text}; ${sender}` };
  }
  const remedy = 'Nothing is lost: they go out with the next `barograph watch` or `import` for that server.';
  return { state: 'note', topic: 'queue', text, remedy };
}

function namesOf(queues: readonly QueueReport[]): string {
  const names = [...new Set(queues.map(({ project, runner }) => `${project} by ${runner.name}`))];
  const named = names.slice(0, MAX_NAMED).join(', ');
  return names.length > MAX_NAMED ? `${named} and ${names.length - MAX_NAMED} more` : named;
}
