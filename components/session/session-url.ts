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
}

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
  };
}

/** The query string, without `?`; what is at its default is left out, foreign parameters stay. */
export function writeSessionUrl(params: URLSearchParams, change: Partial<SessionUrl>): string {
  const url = { ...readSessionUrl(params), ...change };
  const next = new URLSearchParams(params);
  set(next, 'axis', url.axis === 'turns' ? 'turns' : null);
  set(next, 'lens', url.lens);
  set(next, 'from', url.from === null ? null : new Date(Math.round(url.from)).toISOString());
  set(next, 'to', url.to === null ? null : new Date(Math.round(url.to)).toISOString());
  set(next, 'sums', url.sums ? 'yes' : null);
  set(next, 'agents', url.agents ? 'yes' : null);
  set(next, 'event', url.event);
  return next.toString();
}

function readTime(value: string | null): number | null {
  if (value === null) return null;
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : at;
}

function set(params: URLSearchParams, name: string, value: string | null): void {
  if (value === null || value === '') params.delete(name);
  else params.set(name, value);
}
