/** Plays a scenario through real clients, one per stream: history at once, then each step at its time. */
import type { TranscriptItem } from '../../../core/agents/agent-format';
import type { Scenario, ScenarioStep } from '../../../core/scenario/types';
import type { BarographClient } from '../client/client-types';
import { LiveModes } from '../transcripts/live-mode';
import { waitForRoom } from '../transcripts/project-clients';

export interface PlayOptions {
  scenario: Scenario;
  connect(step: ScenarioStep): BarographClient;
  /** Scenario minutes per minute; history is not affected. */
  speed: number;
  signal: AbortSignal;
  now(): number;
  /** Resolves after `ms`, or at once when the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  onBegin(): Promise<void>;
  onStep?(sent: number): void;
}

/** Longest wait for another stream of the same session while the server is away. */
const HAND_OVER_MS = 5_000;

export async function playScenario(options: PlayOptions): Promise<{ items: number; sessions: number }> {
  const { scenario, speed, signal, now, wait } = options;
  const clients = new Map<string, BarographClient>();
  const sessions = new Map<string, { client: BarographClient; isEnded: boolean }>();
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
    const { stream, item, afterMs } = step;
    if (signal.aborted) break;
    if (afterMs > 0 && !hasBegun) {
      hasBegun = true;
      await options.onBegin();
    }
    const at = Math.round(startedAt + (afterMs > 0 ? afterMs / speed : afterMs));
    if (at > now()) await wait(at - now(), signal);
    if (signal.aborted) break;
    const client = clients.get(stream) ?? options.connect(step);
    clients.set(stream, client);
    // The server orders items of different streams by arrival. History is sent faster than it happened, so without
    // this wait a hook could overtake its turns.
    const before = sessions.get(item.session)?.client ?? client;
    if (before !== client) await before.flush(HAND_OVER_MS);
    sessions.set(item.session, { client, isEnded: item.type === 'session_end' });
    await waitForRoom(client, signal);
    send(client, { ...item, at });
    options.onStep?.(items);
  }
  if (!hasBegun) await options.onBegin();
  // End open sessions, so that no session looks live after the demo.
  for (const [session, { client, isEnded }] of sessions) {
    const isAtWork = !isEnded && modes.isLive(session);
    if (isAtWork) send(client, { type: 'session_end', session, at: now(), reason: 'the demo ended' });
  }
  return { items, sessions: sessions.size };
}
