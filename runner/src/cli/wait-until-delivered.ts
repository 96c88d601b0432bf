import type { ProjectClients } from '../transcripts/project-clients';
import type { Output } from './command';
import { formatCount } from './output';

const ROUND_MS = 500;

/**
 * Wait until the server has acknowledged everything, and show why it takes longer.
 * @returns false if nothing was acknowledged for `idleMs`, or the user interrupted.
 */
export async function waitUntilDelivered(
  clients: ProjectClients,
  options: { out: Output; signal: AbortSignal; idleMs: number; now(): number },
): Promise<boolean> {
  const { out, signal, idleMs, now } = options;
  let last = -1;
  let movedAt = now();
  let shownReason = '';
  while (!signal.aborted) {
    const totals = clients.totals();
    if (totals.queued === 0) return true;
    const settled = totals.acknowledged + totals.refused;
    if (settled !== last) movedAt = now();
    last = settled;
    if (now() - movedAt > idleMs) return false;
    const { waiting } = clients;
    const reason = waiting === undefined ? '' : `The server does not answer: ${waiting.detail}`;
    if (reason !== '' && reason !== shownReason && !out.isTerminal) out.line(reason);
    shownReason = reason;
    out.progress(reason || `waiting for the server: ${formatCount(totals.queued, 'item')} left`);
    if (waiting !== undefined && HOPELESS.has(waiting.reason)) return false;
    await clients.flush(ROUND_MS);
  }
  return false;
}

/** Waiting does not help. */
const HOPELESS: ReadonlySet<string> = new Set(['unauthorized', 'unsupported_version']);
