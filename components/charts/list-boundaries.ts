/** The boundaries of the main chain, from its contexts and what the events know about them. */
import type { Context, Session, SessionEvent } from '@/core/api/session';

export interface Boundary {
  /** Seed of its torn edge and key of its mark: the event's id, or the context's number where no event is known. */
  id: string;
  eventId: string | null;
  kind: 'compaction' | 'restart' | 'clear';
  /** Milliseconds since the epoch. */
  at: number;
  /** Number of the last turn before it. */
  turn: number;
  /** Number of the context that begins. */
  contextAfter: number;
  /** What the client says: tokens before and first reading after; null while not known. */
  before: number | null;
  after: number | null;
  /** What the last counted turn had read, where the client counted otherwise; null: they agree, or one is not known. */
  read: number | null;
  /** Where the trace falls from and to, tokens of the session's lens: the hatch. */
  from: number | null;
  to: number | null;
  /** Limit of the context that ended, tokens. */
  limit: number | null;
  trigger: string | null;
}

const EVENT_OF = { compaction: 'compaction', restart: 'restart', clear: 'context_cleared' } as const;

/**
 * One entry per closed context of the main chain, oldest first, joined with its event. A boundary event that
 * no context reports yet (it came over the live feed a moment ago) is listed after them.
 */
export const listBoundaries = rememberLast(joinBoundaries);

function joinBoundaries(
  contexts: readonly Context[],
  events: readonly SessionEvent[],
  lens: Session['lens'],
): Boundary[] {
  const closed = contexts
    .filter((context) => context.chain === 'main' && context.endedBy !== null && context.endedAt !== null)
    .sort((a, b) => a.index - b.index);
  const known = new WaitingEvents(events);
  const firsts = new Map(
    contexts
      .filter(({ chain }) => chain === 'main')
      .map((context) => [context.index, context.firstOccupancy]),
  );
  const boundaries: Boundary[] = [];
  let turn = 0;
  for (const context of closed) {
    turn += context.turnCount;
    const kind = context.endedBy as Boundary['kind'];
    const endedAt = Date.parse(context.endedAt as string);
    const event = known.take(EVENT_OF[kind], endedAt, context.index);
    const before = beforeOf(event) ?? usedAtEnd(context, lens);
    const after = afterOf(event) ?? firsts.get(context.index + 1) ?? null;
    boundaries.push({
      id: event?.id ?? `context-${context.index}`,
      eventId: event?.id ?? null,
      kind,
      at: endedAt,
      turn: event?.turn ?? turn,
      contextAfter: context.index + 1,
      before,
      after,
      read: readOf(event),
      ...fall(lens, numberOf(event, 'usedBefore') ?? usedAtEnd(context, lens), before, after),
      limit: numberOf(event, 'limit') ?? context.limit,
      trigger: textOf(event, 'trigger'),
    });
  }
  const lastClosedAt = boundaries.at(-1)?.at ?? Number.NEGATIVE_INFINITY;
  let contextAfter = boundaries.at(-1)?.contextAfter ?? 0;
  for (const event of known.left()) {
    if (at(event) <= lastClosedAt) continue;
    contextAfter += 1;
    boundaries.push({
      id: event.id,
      eventId: event.id,
      kind: event.kind === 'context_cleared' ? 'clear' : (event.kind as Boundary['kind']),
      at: at(event),
      turn: event.turn,
      contextAfter: numberOf(event, 'contextAfter') ?? contextAfter,
      before: beforeOf(event),
      after: afterOf(event),
      read: readOf(event),
      ...fall(lens, numberOf(event, 'usedBefore'), beforeOf(event), afterOf(event)),
      limit: numberOf(event, 'limit'),
      trigger: textOf(event, 'trigger'),
    });
  }
  return boundaries;
}

/** A chart asks with every step of its clock, and what it asks about changes with a turn at most. */
function rememberLast<A extends readonly unknown[], R>(ask: (...args: A) => R): (...args: A) => R {
  let last: { args: A; answer: R } | null = null;
  return (...args) => {
    if (last?.args.every((arg, index) => arg === args[index])) return last.answer;
    const answer = ask(...args);
    last = { args, answer };
    return answer;
  };
}

/** Boundary events that no context was found for yet, by the turns they came after. */
class WaitingEvents {
  private readonly events: Array<{ event: SessionEvent; at: number; taken: boolean }>;
  /** By `kind place`: the moment a context ended, or its number. */
  private readonly byPlace = new Map<string, Array<{ event: SessionEvent; taken: boolean }>>();

  constructor(events: readonly SessionEvent[]) {
    this.events = events
      .filter(isBoundaryEvent)
      .map((event) => ({ event, at: at(event), taken: false }))
      .sort((a, b) => a.event.turn - b.event.turn || a.at - b.at);
    for (const one of this.events) {
      const context = endsContext(one.event);
      for (const place of [`at ${one.at}`, ...(context === null ? [] : [`context ${context}`])]) {
        const key = `${one.event.kind} ${place}`;
        const here = this.byPlace.get(key);
        if (here === undefined) this.byPlace.set(key, [one]);
        else here.push(one);
      }
    }
  }

  /** The first one that ended this context: at this moment, or by its number. */
  take(kind: string, endedAt: number, context: number): SessionEvent | null {
    const found = [`at ${endedAt}`, `context ${context}`]
      .flatMap((place) => this.byPlace.get(`${kind} ${place}`) ?? [])
      .find(({ taken }) => !taken);
    if (found === undefined) return null;
    found.taken = true;
    return found.event;
  }

  left(): SessionEvent[] {
    return this.events.filter(({ taken }) => !taken).map(({ event }) => event);
  }
}

/** Whether an event ended a context of the main chain: a pending, blocked or failed compaction did not. */
export function isBoundaryEvent(event: SessionEvent): boolean {
  if (event.chain !== 'main') return false;
  if (event.kind === 'compaction') return (event.detail.state ?? 'confirmed') === 'confirmed';
  return event.kind === 'restart' || event.kind === 'context_cleared';
}

/** A cumulative trace falls to zero; a reading falls from what the client measured to its first reading after. */
function fall(lens: Session['lens'], used: number | null, before: number | null, after: number | null) {
  return lens === 'cumulative' ? { from: used, to: 0 } : { from: before ?? used, to: after };
}

function usedAtEnd(context: Context, lens: Session['lens']): number | null {
  if (lens === 'snapshot') return context.lastOccupancy;
  return context.tracked ? context.cumulative.input + context.cumulative.output : null;
}

function at(event: SessionEvent): number {
  return Date.parse(event.at);
}

function endsContext(event: SessionEvent): number | null {
  return numberOf(event, 'contextBefore');
}

/** What the client measured at the boundary comes before the last turn's reading: a prompt may stand between. */
function beforeOf(event: SessionEvent | null): number | null {
  return numberOf(event, 'preTokens') ?? numberOf(event, 'lastReading') ?? numberOf(event, 'usedBefore');
}

/** The last turn's own count, beside the client's. */
function readOf(event: SessionEvent | null): number | null {
  const stated = numberOf(event, 'preTokens');
  const read = numberOf(event, 'lastReading');
  return stated === null || stated === read ? null : read;
}

/** The first reading counts the whole context; a client's own figure leaves out its system prompt and tools. */
function afterOf(event: SessionEvent | null): number | null {
  return numberOf(event, 'firstReading') ?? numberOf(event, 'postTokens');
}

function numberOf(event: SessionEvent | null, field: string): number | null {
  const value = event?.detail[field];
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

function textOf(event: SessionEvent | null, field: string): string | null {
  const value = event?.detail[field];
  return typeof value === 'string' ? value : null;
}
