/**
 * Whether a session's items are news or history. Live items are held against the clock and count as
 * activity; lines that were written while nobody watched are history and must be neither.
 */
import type { TranscriptItem, TranscriptItemOf } from '../adapters/format';

/** Between the two the mode stays as it is: lines are a little late, and clocks a little off. */
const LIVE_WITHIN_MS = 120_000;
const HISTORY_AFTER_MS = 240_000;

export type Mode = 'live' | 'history';

export class LiveModes {
  readonly #modes = new Map<string, Mode>();

  /** The items with a word to the server before the first and wherever the mode changes. */
  mark(items: readonly TranscriptItem[], now: number): TranscriptItem[] {
    return items.flatMap((item): TranscriptItem[] => {
      const known = this.#modes.get(item.session);
      const mode = modeOf(item.at, now, known);
      this.#modes.set(item.session, mode);
      const backfill = mode === 'history';
      if (item.type === 'session_start') return [{ ...item, backfill }];
      return mode === known ? [item] : [turnTo(item, backfill), item];
    });
  }
}

function modeOf(at: number, now: number, known: Mode | undefined): Mode {
  const age = now - at;
  if (age <= LIVE_WITHIN_MS) return 'live';
  return age > HISTORY_AFTER_MS || known === undefined ? 'history' : known;
}

function turnTo(item: TranscriptItem, backfill: boolean): TranscriptItemOf<'session_start'> {
  return {
    type: 'session_start',
    session: item.session,
    at: item.at,
    client: 'claude-code',
    lens: 'snapshot',
    backfill,
  };
}
