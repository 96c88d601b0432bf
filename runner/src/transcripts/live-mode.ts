/**
 * Whether a session's items are news or history. Live items are held against the clock and count as
 * activity; lines written while no watch was running are history and must be neither.
 */
import type { TranscriptItem, TranscriptItemOf } from '../../../core/agents/agent-format';

/** Facts in every `session_start`: it may be the first item of a session. */
export type SessionFacts = Pick<TranscriptItemOf<'session_start'>, 'client' | 'lens' | 'host'>;

/** Between the two bounds the mode does not change: lines are a little late, and clocks a little off. */
const LIVE_WITHIN_MS = 120_000;
const HISTORY_AFTER_MS = 240_000;

export type Mode = 'live' | 'history';

export class LiveModes {
  readonly #modes = new Map<string, Mode>();
  readonly #facts: SessionFacts;

  constructor(facts: SessionFacts = {}) {
    this.#facts = facts;
  }

  modeOf(session: string): Mode | undefined {
    return this.#modes.get(session);
  }

  /** The items, with a `session_start` before the first and wherever the mode changes. */
  mark(items: readonly TranscriptItem[], now: number, client?: string): TranscriptItem[] {
    const facts = client === undefined ? this.#facts : { client, ...this.#facts };
    return items.flatMap((item): TranscriptItem[] => {
      const known = this.#modes.get(item.session);
      const mode = modeOf(item.at, now, known);
      this.#modes.set(item.session, mode);
      const backfill = mode === 'history';
      if (item.type === 'session_start') return [{ ...facts, ...item, backfill }];
      if (mode === known) return [item];
      const { session, at } = item;
      return [{ type: 'session_start', session, at, ...facts, backfill }, item];
    });
  }
}

function modeOf(at: number, now: number, known: Mode | undefined): Mode {
  const age = now - at;
  if (age <= LIVE_WITHIN_MS) return 'live';
  return age > HISTORY_AFTER_MS || known === undefined ? 'history' : known;
}
