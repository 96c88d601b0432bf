import type { ProjectClients } from '../transcripts/project-clients';
import type { Output } from './command';
import { formatCount } from './output';

const ROUND_MS = 500;

/**
 * Waits until the server has acknowledged everything, and tells what it waits for.
 * @returns false when nothing was acknowledged for `idleMs`, or the person interrupted.
 */
export async function waitUntilDelivered(
  clients: ProjectClients,
  options: { out: Output; signal: AbortSignal; idleMs: number; now(): number },
): Promise<boolean> {
  const { out, signal, idleMs, now } = options;
  let last = -1;
  let movedAt = now();
  let toldReason = '';
  while (!signal.aborted) {
    const totals = clients.totals();
    if (totals.queued === 0) return true;
    const settled = totals.acknowledged + totals.refused;
    if (settled !== last) movedAt = now();
    last = settled;
    if (now() - movedAt > idleMs) return false;
    const reason = whyWaiting(clients);
    if (reason !== '' && reason !== toldReason && !out.isTerminal) out.line(reason);
    toldReason = reason;
    out.progress(reason || `waiting for the server: ${formatCount(totals.queued, 'item')} left`);
    if (isHopeless(clients)) return false;
    await clients.flush(ROUND_MS);
  }
  return false;
}

function whyWaiting(clients: ProjectClients): string {
  for (const client of clients.clients) {
    const { state, queued } = client.stats();
    if (queued > 0 && state.status === 'waiting') return `The server does not answer: ${state.detail}`;
  }
  return '';
}

/** A token that is refused now will be refused in a minute too. */
function isHopeless(clients: ProjectClients): boolean {
  return clients.clients.some((client) => {
    const { state, queued } = client.stats();
    return queued > 0 && state.status === 'waiting' && HOPELESS.has(state.reason);
  });
}

const HOPELESS: ReadonlySet<string> = new Set(['unauthorized', 'unsupported_version']);
