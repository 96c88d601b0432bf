/** The way of one item from the agent into the queue: checked, numbered, written; never thrown back. */
import type { DurableQueue } from '../queue/durable-queue';
import type { HandOver, RefusedItem } from './client-types';
import { prepareItem } from './prepare-item';

export interface HandOverContext {
  queue: DurableQueue;
  /** Milliseconds since the epoch. */
  now(): number;
  content: boolean;
  refuse(refused: RefusedItem): void;
}

/** @param build makes the item; it reads what the agent gave, and may throw. */
export function handOver(build: () => unknown, context: HandOverContext): HandOver {
  try {
    const input = build();
    const seq = enqueue(input, context);
    if (typeof seq === 'number') return seq;
    context.refuse(seq);
    if (seq.type === 'turn') recordLostTurn(input, `${seq.code} ${seq.field}`, context);
  } catch (error) {
    // A getter that throws, a value JSON cannot hold: the agent goes on either way.
    const reason = error instanceof Error ? error.message : String(error);
    context.refuse({ seq: null, session: null, type: null, code: 'invalid_message', field: '', reason });
  }
  return null;
}

function enqueue(input: unknown, { queue, now, content }: HandOverContext): number | RefusedItem {
  const seq = queue.nextSeq;
  const prepared = prepareItem(input, seq, now(), content);
  if (prepared.ok) {
    queue.append(JSON.stringify(prepared.item));
    return seq;
  }
  const { code, field, reason } = prepared.fault;
  return { seq: null, session: textOf(input, 'session'), type: textOf(input, 'type'), code, field, reason };
}

/** A refused turn is missing from its context's sums: a gap makes them a lower bound instead of wrong. */
function recordLostTurn(input: unknown, reason: string, context: HandOverContext): void {
  const { session, chain, at } = input as Record<string, unknown>;
  const gap = { type: 'gap', session, chain, at, count: 1, reason };
  if (typeof enqueue(gap, context) === 'number') return;
  // Its time or its chain was what was wrong: the session still misses a turn.
  enqueue({ ...gap, chain: undefined, at: undefined }, context);
}

function textOf(input: unknown, field: 'session' | 'type'): string | null {
  const value =
    typeof input === 'object' && input !== null ? (input as Record<string, unknown>)[field] : null;
  return typeof value === 'string' ? value.slice(0, 400) : null;
}
