/** What the address says about the picture: a link shows a colleague the same. */

import type { Series } from '@/core/api/series';
import type { AxisKind } from '../charts/chart-scale';

export interface SessionUrl {
  axis: AxisKind;
  /** The lens laid over the session's own; null: none. */
  lens: Series['lens'] | null;
  /** Zoomed range, milliseconds; null: open. An open end follows the session. */
  from: number | null;
  to: number | null;
  /** Input and output of each context so far, laid over the trace. */
  sums: boolean;
  /** Sub-agents as thin traces. */
  agents: boolean;
  /** The opened event. */
  event: string | null;
  /** The moment the crosshair rests at, milliseconds; null: nowhere. */
  at: number | null;
  /** A time as somebody wrote it, still to be found on this session's clock; empty: it is asked for. */
  time: string | null;
  /** The table of turns, open at this part of the session; null: closed. */
  turns: TurnsPart | null;
  /** The note that is shown in the list. */
  note: string | null;
}

/** Turns of a chain, or of one of its contexts. */
export interface TurnsPart {
  chain: string;
  context: number | null;
}

/** Nothing zoomed, nothing opened: what an address without parameters says. */
export const PLAIN_URL: SessionUrl = {
  axis: 'time',
  lens: null,
  from: null,
  to: null,
  sums: false,
  agents: false,
  event: null,
  at: null,
  time: null,
  turns: null,
  note: null,
};

const LENSES: readonly string[] = ['snapshot', 'cumulative', 'last-turn', 'cache-inflated'];

export function readSessionUrl(params: URLSearchParams): SessionUrl {
  const lens = params.get('lens');
  const from = readTime(params.get('from'));
  const to = readTime(params.get('to'));
  const usable = from === null || to === null || from < to;
  return {
    axis: params.get('axis') === 'turns' ? 'turns' : 'time',
    lens: lens !== null && LENSES.includes(lens) ? (lens as Series['lens']) : null,
    from: usable ? from : null,
    to: usable ? to : null,
    sums: params.get('sums') === 'yes',
    agents: params.get('agents') === 'yes',
    event: params.get('event'),
    at: readTime(params.get('at')),
    time: params.get('time'),
    turns: readTurns(params.get('turns'), params.get('context')),
    note: params.get('note'),
  };
}

function readTurns(chain: string | null, context: string | null): TurnsPart | null {
  if (chain === null || chain === '') return null;
  return { chain, context: context !== null && /^\d{1,9}$/.test(context) ? Number(context) : null };
}

/** The query string, without `?`; what is at its default is left out, foreign parameters stay. */
export function writeSessionUrl(params: URLSearchParams, change: Partial<SessionUrl>): string {
  const url = { ...readSessionUrl(params), ...change };
  const next = new URLSearchParams(params);
  set(next, 'axis', url.axis === 'turns' ? 'turns' : null);
  set(next, 'lens', url.lens);
  set(next, 'from', writeTime(url.from));
  set(next, 'to', writeTime(url.to));
  set(next, 'sums', url.sums ? 'yes' : null);
  set(next, 'agents', url.agents ? 'yes' : null);
  set(next, 'event', url.event);
  set(next, 'at', writeTime(url.at));
  set(next, 'time', url.time);
  set(next, 'turns', url.turns?.chain ?? null);
  set(next, 'context', url.turns?.context == null ? null : String(url.turns.context));
  set(next, 'note', url.note);
  return next.toString();
}

function readTime(value: string | null): number | null {
  if (value === null) return null;
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : at;
}

function writeTime(at: number | null): string | null {
  return at === null ? null : new Date(Math.round(at)).toISOString();
}

function set(params: URLSearchParams, name: string, value: string | null): void {
  if (value === null || value === '') params.delete(name);
  else params.set(name, value);
}
