/** Builds events for tests. */
import type { EventDetail, EventKind } from './details';
import type { SessionEvent } from './event';

const before = { usedBefore: null, limit: null, contextBefore: 0 };

/** Default detail of each kind. */
const DETAILS: { [K in EventKind]: EventDetail<K> } = {
  session_started: { reason: 'startup' },
  session_ended: { reason: null },
  state_changed: { from: 'elevated', to: 'warning', pressure: 0.76 },
  approaching_redline: { pressure: 0.91 },
  redlined: { used: 210_000, limit: 200_000 },
  window_changed: {
    ...{ from: 200_000, fromSource: 'table', to: 1_000_000, source: 'client' },
    model: 'claude-sonnet-4-5',
  },
  restart: { continuation: 1, reason: null, pressure: null, ...before, contextAfter: 1 },
  compaction: { trigger: 'auto', state: 'confirmed', ...before, lastReading: null },
  context_cleared: { tokensCleared: null, ...before, contextAfter: 1 },
  context_compressed: { before: 160_000, after: 120_000, removed: 14 },
  tracking_disabled: {},
  tracking_enabled: {},
  archive_stored: {},
  archive_skipped: {},
  archive_failed: {},
  archive_damaged: {},
  archive_healed: { was: null },
  turns_dropped: { from: null, to: null, count: 1, reason: null },
  command: {
    command: '0190b0a0-0000-7000-8000-00000000000c',
    action: 'restart',
    state: 'done',
    reason: null,
  },
  thrash: { form: 'refill', turns: 4, inARow: 1 },
  cache_storm: { usualShare: 0.94, share: 0.1, missed: 3, of: 5, tokens: 240_000 },
};

/** An event of the main chain. The given fields and detail replace the defaults. */
export function eventOf<K extends EventKind>(
  fields: Partial<Omit<SessionEvent, 'kind' | 'detail'>> & {
    id: string;
    kind: K;
    detail?: Partial<EventDetail<K>>;
  },
): SessionEvent<K> {
  return {
    sessionId: '00000000-0000-4000-8000-000000000001',
    sessionTitle: null,
    sessionKey: 'session',
    project: 'demo',
    chain: 'main',
    context: 0,
    at: new Date(0).toISOString(),
    turn: 0,
    revision: 1,
    ...fields,
    detail: { ...DETAILS[fields.kind], ...fields.detail },
  } as SessionEvent<K>;
}
