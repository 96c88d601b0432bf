/** Filters of the event stream in the URL, so that links can be shared; rows of the stream. */
import {
  type inferParserType,
  parseAsArrayOf,
  parseAsIsoDateTime,
  parseAsString,
  parseAsStringLiteral,
} from 'nuqs/server';
import type { EventKind } from '@/core/events/details';
import type { SessionEvent } from '@/core/events/event';
import { EVENT_GROUPS, EVENT_KINDS, EVENT_SCOPES, KINDS } from '@/core/events/kinds';
import { searchOf } from '../../data/search-of';
import { formatLongDay } from '../../format/format-time';

/** Invalid values in a URL are ignored. */
export const EVENTS_QUERY = {
  kind: parseAsArrayOf(parseAsStringLiteral(EVENT_KINDS)).withDefault([]),
  project: parseAsString.withDefault(''),
  /** Words of the session's title, key or project. */
  session: parseAsString.withDefault(''),
  /** Null: main chains and sub-agents. */
  chain: parseAsStringLiteral(EVENT_SCOPES),
  /** The time range, both ends included; null: open. An open end is live. */
  from: parseAsIsoDateTime,
  to: parseAsIsoDateTime,
};
export type EventsQuery = inferParserType<typeof EVENTS_QUERY>;

export const KIND_GROUPS = EVENT_GROUPS.map((name) => ({
  name,
  kinds: EVENT_KINDS.filter((kind) => KINDS[kind].group === name),
}));

export function toggleKinds(chosen: readonly EventKind[], group: readonly EventKind[]): EventKind[] {
  const isOn = group.every((kind) => chosen.includes(kind));
  const rest = chosen.filter((kind) => !group.includes(kind));
  return EVENT_KINDS.filter((kind) => rest.includes(kind) || (!isOn && group.includes(kind)));
}

/** Longest search text of the API. */
const MAX_TEXT = 200;

/** The same query for the API: `kind=restart&project=atlas`; empty: no filter. */
export function eventsSearch({ session, chain, ...rest }: EventsQuery): string {
  return searchOf({ ...rest, q: session.trim().slice(0, MAX_TEXT), scope: chain });
}

/** Whether the query matches an event of the live feed. The API uses the same rules. */
export function matchEvent(query: EventsQuery): (event: SessionEvent) => boolean {
  const { kind, project, session, chain, from, to } = query;
  // All times have the same format, so they compare as text.
  const [first, last] = [from?.toISOString() ?? '', to?.toISOString() ?? '~'];
  const words = session.trim().slice(0, MAX_TEXT).toLowerCase().split(/\s+/).filter(Boolean).slice(0, 10);
  return (event) => {
    if (kind.length > 0 && !kind.includes(event.kind)) return false;
    if (event.at < first || event.at > last) return false;
    if (project !== '' && event.project !== project) return false;
    if (chain !== null && (event.chain === 'main') !== (chain === 'main')) return false;
    const text = [event.sessionTitle ?? '', event.sessionKey, event.project].join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  };
}

type StreamRow = { key: string; event: SessionEvent; index: number } | { key: string; day: string };

/** Events, newest first, with a head for each day of the viewer's zone. */
export function prepareRows(events: readonly SessionEvent[], zone: string): StreamRow[] {
  const rows: StreamRow[] = [];
  let day = '';
  let hour = '';
  events.forEach((event, index) => {
    // In every zone, days start at a quarter hour of UTC. Formatting the date once per quarter hour is fast enough.
    const quarter = event.at.slice(0, 14) + Math.floor(Number(event.at.slice(14, 16)) / 15);
    const next = quarter === hour ? day : formatLongDay(event.at, zone);
    if (next !== day) rows.push({ key: `day ${next} ${event.id}`, day: next });
    [day, hour] = [next, quarter];
    rows.push({ key: event.id, event, index });
  });
  return rows;
}
