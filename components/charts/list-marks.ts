/** What a chart draws of a session's events: boundaries of the main chain, flags, and marks of trouble. */
import type { Context, Session, Trouble } from '@/core/api/session';
import type { SessionEvent } from '@/core/events/event';
import { boundaryOf, eventLabel, KINDS } from '@/core/events/kinds';
import { troubleSentence } from '@/core/events/trouble-sentence';
import { formatTokens } from '../format/format-tokens';

type BoundaryEvent = SessionEvent<'compaction' | 'restart' | 'context_cleared'>;

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
  /** Limit of the context that ended, tokens. */
  limit: number | null;
  trigger: string | null;
}

/**
 * Join the closed contexts of the main chain with their events, oldest first. A boundary that the live feed
 * reported before its context is listed last.
 */
export const listBoundaries = rememberLast(joinBoundaries);

function joinBoundaries(
  contexts: readonly Context[],
  events: readonly SessionEvent[],
  lens: Session['lens'],
): Boundary[] {
  const main = contexts.filter(({ chain }) => chain === 'main').sort((a, b) => a.index - b.index);
  const eventOf = new Map(events.filter(isBoundaryEvent).map((event) => [event.detail.contextBefore, event]));
  const firsts = new Map(main.map(({ index, firstOccupancy }) => [index, firstOccupancy]));
  const boundaries: Boundary[] = [];
  let turn = 0;
  for (const context of main) {
    const { endedBy, endedAt, index } = context;
    if (endedBy === null || endedAt === null) continue;
    turn += context.turnCount;
    const event = eventOf.get(index);
    eventOf.delete(index);
    const used = usedAtEnd(context, lens);
    const sizes = event === undefined ? { before: null, after: null, read: null } : sizesOf(event);
    const before = sizes.before ?? used;
    const after = sizes.after ?? firsts.get(index + 1) ?? null;
    boundaries.push({
      id: event?.id ?? `context-${index}`,
      eventId: event?.id ?? null,
      kind: endedBy,
      at: Date.parse(endedAt),
      turn: event?.turn ?? turn,
      contextAfter: index + 1,
      before,
      after,
      read: sizes.read,
      ...fall(lens, event?.detail.usedBefore ?? used, before, after),
      limit: event?.detail.limit ?? context.limit,
      trigger: triggerOf(event),
    });
  }
  const closed = boundaries.at(-1)?.contextAfter ?? 0;
  return [...boundaries, ...[...eventOf.values()].flatMap((event) => unclosed(event, closed, lens))];
}

/** A boundary of a context that is not listed as closed yet. */
function unclosed(event: BoundaryEvent, closed: number, lens: Session['lens']): Boundary[] {
  const { contextBefore, usedBefore, limit } = event.detail;
  const kind = boundaryOf(event);
  if (kind === null || contextBefore < closed) return [];
  const { before, after, read } = sizesOf(event);
  return [
    {
      id: event.id,
      eventId: event.id,
      kind,
      at: Date.parse(event.at),
      turn: event.turn,
      contextAfter: contextBefore + 1,
      before,
      after,
      read,
      ...fall(lens, usedBefore, before, after),
      limit,
      trigger: triggerOf(event),
    },
  ];
}

/** A chart asks with every tick of its clock, and the answer changes with a turn at most. */
function rememberLast<A extends readonly unknown[], R>(ask: (...args: A) => R): (...args: A) => R {
  let last: { args: A; answer: R } | null = null;
  return (...args) => {
    if (last?.args.every((arg, index) => arg === args[index])) return last.answer;
    const answer = ask(...args);
    last = { args, answer };
    return answer;
  };
}

/** Whether an event ended a context of the main chain. */
export function isBoundaryEvent(event: SessionEvent): event is BoundaryEvent {
  return event.chain === 'main' && boundaryOf(event) !== null;
}

/** A cumulative trace falls to zero; a reading falls from the client's count to the first reading after. */
function fall(lens: Session['lens'], used: number | null, before: number | null, after: number | null) {
  return lens === 'cumulative' ? { from: used, to: 0 } : { from: before ?? used, to: after };
}

function usedAtEnd(context: Context, lens: Session['lens']): number | null {
  if (lens === 'snapshot') return context.lastOccupancy;
  return context.tracked ? context.cumulative.input + context.cumulative.output : null;
}

/** The client's count is of the boundary itself: a prompt may lie between it and the last turn's reading. */
function sizesOf(event: BoundaryEvent): Pick<Boundary, 'before' | 'after' | 'read'> {
  if (event.kind !== 'compaction') return { before: event.detail.usedBefore, after: null, read: null };
  const { preTokens, lastReading, usedBefore, firstReading, postTokens } = event.detail;
  return {
    before: preTokens ?? lastReading ?? usedBefore,
    after: firstReading ?? postTokens ?? null,
    read: preTokens === undefined || preTokens === lastReading ? null : lastReading,
  };
}

function triggerOf(event: BoundaryEvent | undefined): string | null {
  return event?.kind === 'compaction' ? event.detail.trigger : null;
}

/** An event that has a flag and is no boundary. */
export interface EventFlag {
  /** The event's id. */
  id: string;
  /** Milliseconds since the epoch. */
  at: number;
  /** Number of the last turn before it. */
  turn: number;
  /** Its figures, and what it is. */
  text: string;
  note: string;
  /** Messages were removed without a boundary. */
  isFall: boolean;
}

/** One flag per drawn event of the main chain that is no boundary, in the order of the events. */
export function listFlags(events: readonly SessionEvent[]): EventFlag[] {
  return events.flatMap((event) => {
    const { id, kind, chain, at, turn } = event;
    if (chain !== 'main' || !KINDS[kind].isDrawn || boundaryOf(event) !== null) return [];
    const isFall = kind === 'context_compressed';
    return [{ id, at: Date.parse(at), turn, isFall, text: figuresOf(event), note: noteOf(event) }];
  });
}

function figuresOf(event: SessionEvent): string {
  if (event.kind === 'turns_dropped') return `${event.detail.count}`;
  if (event.kind !== 'context_compressed') return '';
  return `${formatTokens(event.detail.before)} → ${formatTokens(event.detail.after)}`;
}

function noteOf(event: SessionEvent): string {
  if (event.kind === 'turns_dropped' && event.detail.count === 1) return 'turn lost';
  return event.kind === 'compaction' ? eventLabel(event) : KINDS[event.kind].label;
}

export interface TroubleMark {
  /** The event's id. */
  id: string;
  kind: Trouble['kind'];
  /** Milliseconds since the epoch. */
  at: number;
  /** Number of the last turn before it. */
  turn: number;
  /** The reason, in one sentence with its numbers. */
  sentence: string;
}

/** One mark per thrash or cache storm of the main chain, in the order of the events. */
export function listTroubles(events: readonly SessionEvent[]): TroubleMark[] {
  return events.flatMap((event) => {
    const { id, chain, at, turn } = event;
    if (chain !== 'main' || (event.kind !== 'thrash' && event.kind !== 'cache_storm')) return [];
    return [{ id, kind: event.kind, at: Date.parse(at), turn, sentence: troubleSentence(event) }];
  });
}

export interface PlacedTrouble extends TroubleMark {
  /** Pixels. */
  x: number;
  /** How many others are too close to have a mark of their own. */
  more: number;
}

/** Width of a mark that a finger tip can hit, pixels. */
const APART_PX = 18;

/** Where marks would overlap, the newest replaces the others. @param marks in the order of x */
export function placeTroubles(marks: ReadonlyArray<TroubleMark & { x: number }>): PlacedTrouble[] {
  const placed: PlacedTrouble[] = [];
  for (const mark of marks) {
    const last = placed.at(-1);
    if (last !== undefined && mark.x - last.x < APART_PX)
      placed[placed.length - 1] = { ...mark, more: last.more + 1 };
    else placed.push({ ...mark, more: 0 });
  }
  return placed;
}
