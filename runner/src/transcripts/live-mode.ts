/**
 * Whether a session's items are news or history. Live items are held against the clock and count as
 * activity; lines written while no watch was running are history and must be neither.
 */
import type { TranscriptItem, TranscriptItemOf } from '../../../core/agents/agent-format';

/** Facts in every `session_start`: it may be the first item of a session. */
type SessionFacts = Pick<TranscriptItemOf<'session_start'>, 'client' | 'lens' | 'host'>;

/** Between the two bounds the mode does not change: lines are a little late, and clocks a little off. */
const LIVE_WITHIN_MS = 120_000;
const HISTORY_AFTER_MS = 240_000;

type Mode = 'live' | 'history';

export class LiveModes {
  readonly #modes = new Map<string, Mode>();

  modeOf(session: string): Mode | undefined {
    return this.#modes.get(session);
  }

  /** The items, with a `session_start` before the first and wherever the mode changes. */
  mark(items: readonly TranscriptItem[], now: number, facts: SessionFacts = {}): TranscriptItem[] {
    return items.flatMap((item): TranscriptItem[] => {
      const { session, at } = item;
      const known = this.#modes.get(session);
      const mode = modeAt(now - at, known);
      this.#modes.set(session, mode);
      const backfill = mode === 'history';
      if (item.type === 'session_start') return [{ ...facts, ...item, backfill }];
      if (mode === known) return [item];
      return [{ type: 'session_start', session, at, ...facts, backfill }, item];
    });
  }
}

function modeAt(ageMs: number, known: Mode | undefined): Mode {
  if (ageMs <= LIVE_WITHIN_MS) return 'live';
  return ageMs > HISTORY_AFTER_MS || known === undefined ? 'history' : known;
}
