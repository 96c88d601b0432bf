/** Marks of a session's events on a chart: boundaries of the main chain, and flags. */
import type { Context, Session } from '@/core/api/session';
import type { SessionEvent } from '@/core/events/event';
import { boundaryOf, eventLabel, KINDS } from '@/core/events/kinds';
import { formatSizes, formatTokens } from '../format/format-tokens';
import { boundWord, limitSign } from '../format/session-words';

export type BoundaryEvent = SessionEvent<'compaction' | 'restart' | 'context_cleared'>;

export interface Boundary {
  /** Key of the mark: the event's id, or the context's number until the event is loaded. */
  id: string;
  eventId: string | null;
  kind: 'compaction' | 'restart' | 'clear';
  at: number;
  turn: number;
  contextAfter: number;
  /** Tokens before the boundary, preferably the client's count; first reading after the boundary. Null: unknown. */
  before: number | null;
  after: number | null;
  /** Reading of the last turn if different from the client's count; null: both agree, or a number is unknown. */
  read: number | null;
  /** Ends of the hatched drop of the trace, in tokens of the session's lens. */
  from: number | null;
  to: number | null;
  limit: number | null;
  trigger: string | null;
}

export function isBoundaryEvent(event: SessionEvent): event is BoundaryEvent {
  return event.chain === 'main' && boundaryOf(event) !== null;
}

/**
 * Join the closed contexts with their boundary events. A boundary comes last if the live feed reported it before its
 * context.
 * @param contexts of the main chain, in order
 */
export function listBoundaries(
  contexts: readonly Context[],
  events: readonly SessionEvent[],
  lens: Session['lens'],
): Boundary[] {
  const eventOf = new Map(events.filter(isBoundaryEvent).map((event) => [event.detail.contextBefore, event]));
  let turn = 0;
  const boundaries = contexts.flatMap((context, place) => {
    const { endedBy: kind, endedAt, index, limit } = context;
    if (kind === null || endedAt === null) return [];
    turn += context.turnCount;
    const event = eventOf.get(index);
    eventOf.delete(index);
    const next = contexts[place + 1];
    const after = next?.index === index + 1 ? next.firstOccupancy : null;
    const read = { used: usedAtEnd(context, lens), after, limit };
    return [join({ kind, at: Date.parse(endedAt), turn, contextAfter: index + 1 }, event, lens, read)];
  });
  const closed = boundaries.at(-1)?.contextAfter ?? 0;
  const ahead = [...eventOf.values()].flatMap((event) => {
    const { contextBefore, limit } = event.detail;
    const kind = boundaryOf(event);
    if (kind === null || contextBefore < closed) return [];
    const ended = { kind, at: Date.parse(event.at), turn: event.turn, contextAfter: contextBefore + 1 };
    return [join(ended, event, lens, { used: null, after: null, limit })];
  });
  return [...boundaries, ...ahead];
}

/** @param read tokens at the end of the context, and the first reading of the next context */
function join(
  ended: Pick<Boundary, 'kind' | 'at' | 'turn' | 'contextAfter'>,
  event: BoundaryEvent | undefined,
  lens: Session['lens'],
  read: { used: number | null; after: number | null; limit: number | null },
): Boundary {
  const used = event?.detail.usedBefore ?? read.used;
  const sizes = { before: used, after: read.after, read: null as number | null };
  if (event?.kind === 'compaction') {
    // The client counts at the boundary itself. A prompt may come between the last turn's reading and the boundary.
    const { preTokens, lastReading, usedBefore, firstReading, postTokens } = event.detail;
    sizes.before = preTokens ?? lastReading ?? usedBefore ?? read.used;
    sizes.after = firstReading ?? postTokens ?? read.after;
    sizes.read = preTokens === undefined || preTokens === lastReading ? null : lastReading;
  }
  return {
    ...ended,
    ...sizes,
    id: event?.id ?? `context-${ended.contextAfter - 1}`,
    eventId: event?.id ?? null,
    turn: event?.turn ?? ended.turn,
    // A cumulative trace falls to zero; other traces fall from the client's count to the first reading afterwards.
    ...(lens === 'cumulative' ? { from: used, to: 0 } : { from: sizes.before ?? used, to: sizes.after }),
    limit: event?.detail.limit ?? read.limit,
    trigger: event?.kind === 'compaction' ? event.detail.trigger : null,
  };
}

function usedAtEnd(context: Context, lens: Session['lens']): number | null {
  if (lens === 'snapshot') return context.lastOccupancy;
  return context.tracked ? context.cumulative.input + context.cumulative.output : null;
}

/** One flag for each drawn event of the main chain except boundaries, in the order of the events. */
export function listFlags(events: readonly SessionEvent[]) {
  return events.flatMap((event) => {
    const { id, kind, chain, at, turn } = event;
    if (chain !== 'main' || !KINDS[kind].isDrawn || boundaryOf(event) !== null) return [];
    return [{ id, at: Date.parse(at), turn, ...flagWords(event) }];
  });
}

function flagWords(event: SessionEvent): { text: string; note: string } {
  const note = event.kind === 'compaction' ? eventLabel(event) : KINDS[event.kind].label;
  if (event.kind === 'turns_dropped') {
    const { count, bound } = event.detail;
    return { text: `${boundWord(bound)}${count}`, note: count === 1 ? 'turn lost' : note };
  }
  if (event.kind === 'window_changed') {
    const { from, to, fromSource } = event.detail;
    return { text: `${limitSign(fromSource)}${formatSizes(from, to, formatTokens)}`, note: 'window' };
  }
  if (event.kind !== 'context_compressed') return { text: '', note };
  return { text: `${formatTokens(event.detail.before)} → ${formatTokens(event.detail.after)}`, note };
}
