/** Whether a session's items are live or history. Lines written while no watch was running are not activity. */
import type { TranscriptItem, TranscriptItemOf } from '../../../core/agents/agent-format';

type SessionFacts = Pick<TranscriptItemOf<'session_start'>, 'client' | 'lens' | 'host'>;

/** Between the two bounds the mode does not change, because lines may be late and clocks wrong. */
const LIVE_WITHIN_MS = 120_000;
const HISTORY_AFTER_MS = 240_000;

type Mode = 'live' | 'history';

export class LiveModes {
  readonly #modes = new Map<string, Mode>();

  modeOf(session: string): Mode | undefined {
    return this.#modes.get(session);
  }

  /** The items, with a `session_start` before the first item and before each change of mode. */
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
