/** Whether a session's items are live or history. Old items are history, such as lines from before `watch` ran. */
import type { TranscriptItem, TranscriptItemOf } from '../../../core/agents/agent-format';

type SessionFacts = Pick<TranscriptItemOf<'session_start'>, 'client' | 'lens' | 'host'>;

/** Between the two bounds the mode does not change, because lines may be late and clocks wrong. */
const LIVE_WITHIN_MS = 120_000;
const HISTORY_AFTER_MS = 240_000;

export class LiveModes {
  readonly #live = new Map<string, boolean>();

  isLive(session: string): boolean {
    return this.#live.get(session) === true;
  }

  /** The items, with a `session_start` before the first item and before each change of mode. */
  mark(items: readonly TranscriptItem[], now: number, facts: SessionFacts = {}): TranscriptItem[] {
    return items.flatMap((item): TranscriptItem[] => {
      const { session, at } = item;
      const ageMs = now - at;
      const before = this.#live.get(session);
      const isLive = ageMs <= LIVE_WITHIN_MS || (ageMs <= HISTORY_AFTER_MS && before === true);
      this.#live.set(session, isLive);
      if (item.type === 'session_start') return [{ ...facts, ...item, backfill: !isLive }];
      if (isLive === before) return [item];
      return [{ type: 'session_start', session, at, ...facts, backfill: !isLive }, item];
    });
  }
}
