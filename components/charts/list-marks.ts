/** What a chart draws of a session's events: boundaries of the main chain, and flags. */
import type { Context, Session } from '@/core/api/session';
import type { SessionEvent } from '@/core/events/event';
import { boundaryOf, eventLabel, KINDS } from '@/core/events/kinds';
import { formatTokens } from '../format/format-tokens';

export type BoundaryEvent = SessionEvent<'compaction' | 'restart' | 'context_cleared'>;

export interface Boundary {
  /** Seed of its torn edge and key of its mark: the event's id, or the context's number while no event is loaded. */
  id: string;
  eventId: string | null;
  kind: 'compaction' | 'restart' | 'clear';
  /** Milliseconds since the epoch. */
  at: number;
  /** Number of the last turn before it. */
  turn: number;
  /** Number of the context that begins. */
  contextAfter: number;
  /** Tokens before and first reading after, by the client's count where it has one; null: unknown. */
  before: number | null;
  after: number | null;
  /** The last counted turn's reading, where the client's count differs; null: they agree, or one is unknown. */
  read: number | null;
  /** Where the trace falls from and to, tokens of the session's lens: the hatch. */
  from: number | null;
  to: number | null;
  limit: number | null;
  trigger: string | null;
}

export function isBoundaryEvent(event: SessionEvent): event is BoundaryEvent {
  return event.chain === 'main' && boundaryOf(event) !== null;
}

/**
 * Join the closed contexts of the main chain with their events, oldest first. A boundary that the live feed
 * reported before its context is listed last.
 */
export const listBoundaries = rememberLast(
  (contexts: readonly Context[], events: readonly SessionEvent[], lens: Session['lens']): Boundary[] => {
    const main = contexts.filter(({ chain }) => chain === 'main').sort((a, b) => a.index - b.index);
    const eventOf = new Map(
      events.filter(isBoundaryEvent).map((event) => [event.detail.contextBefore, event]),
    );
    const boundaries: Boundary[] = [];
    let turn = 0;
    for (const [place, context] of main.entries()) {
      const { endedBy, endedAt, index } = context;
      if (endedBy === null || endedAt === null) continue;
      turn += context.turnCount;
      const event = eventOf.get(index);
      eventOf.delete(index);
      const next = main[place + 1];
      const after = next?.index === index + 1 ? next.firstOccupancy : null;
      const ended = { kind: endedBy, at: Date.parse(endedAt), turn, contextAfter: index + 1 };
      boundaries.push(
        join(ended, event, lens, { used: usedAtEnd(context, lens), after, limit: context.limit }),
      );
    }
    const closed = boundaries.at(-1)?.contextAfter ?? 0;
    for (const event of eventOf.values()) {
      const { contextBefore, limit } = event.detail;
      const kind = boundaryOf(event);
      if (kind === null || contextBefore < closed) continue;
      const ended = { kind, at: Date.parse(event.at), turn: event.turn, contextAfter: contextBefore + 1 };
      boundaries.push(join(ended, event, lens, { used: null, after: null, limit }));
    }
    return boundaries;
  },
);

/** @param read what the contexts say of it: tokens at its end and first reading of the next one */
function join(
  ended: Pick<Boundary, 'kind' | 'at' | 'turn' | 'contextAfter'>,
  event: BoundaryEvent | undefined,
  lens: Session['lens'],
  read: { used: number | null; after: number | null; limit: number | null },
): Boundary {
  const sizes = sizesOf(event);
  const before = sizes.before ?? read.used;
  const after = sizes.after ?? read.after;
  const used = event?.detail.usedBefore ?? read.used;
  return {
    ...ended,
    id: event?.id ?? `context-${ended.contextAfter - 1}`,
    eventId: event?.id ?? null,
    turn: event?.turn ?? ended.turn,
    before,
    after,
    read: sizes.read,
    // A cumulative trace falls to zero; a reading falls from the client's count to the first reading after.
    ...(lens === 'cumulative' ? { from: used, to: 0 } : { from: before ?? used, to: after }),
    limit: event?.detail.limit ?? read.limit,
    trigger: event?.kind === 'compaction' ? event.detail.trigger : null,
  };
}

function usedAtEnd(context: Context, lens: Session['lens']): number | null {
  if (lens === 'snapshot') return context.lastOccupancy;
  return context.tracked ? context.cumulative.input + context.cumulative.output : null;
}

/** The client's count is of the boundary itself: a prompt may lie between it and the last turn's reading. */
function sizesOf(event: BoundaryEvent | undefined): Pick<Boundary, 'before' | 'after' | 'read'> {
  if (event?.kind !== 'compaction')
    return { before: event?.detail.usedBefore ?? null, after: null, read: null };
  const { preTokens, lastReading, usedBefore, firstReading, postTokens } = event.detail;
  return {
    before: preTokens ?? lastReading ?? usedBefore,
    after: firstReading ?? postTokens ?? null,
    read: preTokens === undefined || preTokens === lastReading ? null : lastReading,
  };
}

/** A chart asks with every tick of its clock, and the answer changes with a turn at most. */
function rememberLast<A extends readonly unknown[], R>(ask: (...args: A) => R): (...args: A) => R {
  let last: { args: A; answer: R } | null = null;
  return (...args) => {
    if (!last?.args.every((arg, index) => arg === args[index])) last = { args, answer: ask(...args) };
    return last.answer;
  };
}

/** One flag per drawn event of the main chain that is no boundary, in the order of the events. */
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
    const { count } = event.detail;
    return { text: String(count), note: count === 1 ? 'turn lost' : note };
  }
  if (event.kind !== 'context_compressed') return { text: '', note };
  return { text: `${formatTokens(event.detail.before)} → ${formatTokens(event.detail.after)}`, note };
}
