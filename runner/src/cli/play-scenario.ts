/** Plays a scenario through real clients, one per stream: history at once, then each step at its time. */
import type { TranscriptItem } from '../../../core/agents/agent-format';
import type { Scenario, ScenarioStep } from '../../../core/scenario/types';
import type { BarographClient } from '../client/client-types';
import { LiveModes } from '../transcripts/live-mode';
import { waitForRoom } from '../transcripts/project-clients';

export interface PlayOptions {
  scenario: Scenario;
  /** Creates the client of a stream from its first step. */
  connect(step: ScenarioStep): BarographClient;
  /** Scenario minutes per minute; history is not affected. */
  speed: number;
  signal: AbortSignal;
  now(): number;
  /** Resolves after the time, or at once when the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** Called after the history. */
  onBegin(): Promise<void>;
  onStep?(sent: number): void;
}

export interface Played {
  clients: BarographClient[];
  items: number;
  sessions: number;
}

/** Longest wait for another stream of the same session while the server is away. */
const HAND_OVER_MS = 5_000;

/**
 * The order between streams is their arrival. History is sent faster than it happened, so a session's next stream waits
 * until the previous one is acknowledged: a hook must not overtake its turns.
 */
async function handOver(before: BarographClient | undefined, next: BarographClient): Promise<void> {
  if (before !== undefined && before !== next) await before.flush(HAND_OVER_MS);
}

export async function playScenario(options: PlayOptions): Promise<Played> {
  const { scenario, speed, signal, now, wait } = options;
  const clients = new Map<string, BarographClient>();
  const owners = new Map<string, BarographClient>();
  const ended = new Set<string>();
  const modes = new LiveModes();
  const startedAt = now();
  let items = 0;
  let hasBegun = false;

  const send = (client: BarographClient, item: TranscriptItem) => {
    for (const marked of modes.mark([item], now())) {
      client.send(marked);
      items += 1;
    }
  };
  for (const step of scenario.items()) {
    if (signal.aborted) break;
    if (step.afterMs > 0 && !hasBegun) {
      hasBegun = true;
      await options.onBegin();
    }
    const at = Math.round(startedAt + (step.afterMs > 0 ? step.afterMs / speed : step.afterMs));
    if (at > now()) await wait(at - now(), signal);
    if (signal.aborted) break;
    const client = clients.get(step.stream) ?? options.connect(step);
    clients.set(step.stream, client);
    await handOver(owners.get(step.item.session), client);
    owners.set(step.item.session, client);
    if (step.item.type === 'session_end') ended.add(step.item.session);
    else ended.delete(step.item.session);
    await waitForRoom(client, signal);
    send(client, { ...step.item, at });
    options.onStep?.(items);
  }
  if (!hasBegun) await options.onBegin();
  // End open sessions, so that none looks live after the demo.
  for (const [session, client] of owners) {
    const isAtWork = !ended.has(session) && modes.modeOf(session) === 'live';
    if (isAtWork) send(client, { type: 'session_end', session, at: now(), reason: 'the demo ended' });
  }
  return { clients: [...clients.values()], items, sessions: owners.size };
}
