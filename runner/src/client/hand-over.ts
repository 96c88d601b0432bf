/** Takes items from the agent into the queue: checks, numbers and writes them, and never throws. */
import type { Item, ItemType } from '../../../core/protocol/items';
import { PROTOCOL_LIMITS } from '../../../core/protocol/limits';
import { type ItemFault, parseItem } from '../../../core/protocol/parse-item';
import type { DurableQueue } from '../queue/durable-queue';
import type { FieldsOf, HandOver, RefusedItem, RunnerSession, SessionDestination } from './client-types';

export interface HandOverContext {
  queue: DurableQueue;
  /** Milliseconds since the epoch. */
  now(): number;
  content: boolean;
  refuse(refused: RefusedItem): void;
}

/** @param build creates the item from the agent's values; it may throw. */
export function handOver(build: () => unknown, context: HandOverContext): HandOver {
  try {
    const input = build();
    const seq = enqueue(input, context);
    if (typeof seq === 'number') return seq;
    context.refuse(seq);
    if (seq.type === 'turn') recordLostTurn(input, `${seq.code} ${seq.field}`, context);
  } catch (error) {
    // As a getter that throws, or a value that JSON cannot hold.
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

/** Replace a refused turn by a gap, which makes the context's sums a lower bound instead of wrong. */
function recordLostTurn(input: unknown, reason: string, context: HandOverContext): void {
  const { session, chain, at } = input as Record<string, unknown>;
  const gap = { type: 'gap', session, chain, at, count: 1, reason };
  if (typeof enqueue(gap, context) === 'number') return;
  // Its time or chain was invalid.
  enqueue({ ...gap, chain: undefined, at: undefined }, context);
}

function textOf(input: unknown, field: 'session' | 'type'): string | null {
  const value =
    typeof input === 'object' && input !== null ? (input as Record<string, unknown>)[field] : null;
  return typeof value === 'string' ? value.slice(0, 400) : null;
}

type PreparedItem = { ok: true; item: Item } | { ok: false; fault: ItemFault };

/** Texts of people or models; with content off they are never stored or sent. */
const CONTENT_FIELDS = ['title', 'checkpoint', 'prompt'] as const;
/** Long texts. */
const TEXTS = new Set(['checkpoint', 'prompt']);
const LABELS = new Set([
  'title',
  'client',
  'clientVersion',
  'model',
  'host',
  'folder',
  'branch',
  'reason',
  'path',
]);

/**
 * Check an item and complete it.
 * @param input any value.
 * @param seq the seq of the item if it is accepted.
 * @param now milliseconds since the epoch, for an item without a time.
 */
function prepareItem(input: unknown, seq: number, now: number, content: boolean): PreparedItem {
  if (typeof input !== 'object' || input === null) {
    return {
      ok: false,
      fault: { seq: null, code: 'invalid_message', field: '', reason: 'must be an object' },
    };
  }
  const fields: Record<string, unknown> = { ...input, seq };
  fields.at = toMillis(fields.at, now);
  if (!content) for (const name of CONTENT_FIELDS) delete fields[name];
  const first = parseItem(fields);
  if (first.ok) return first;
  const second = parseItem(repairTexts(fields));
  return second.ok ? second : first;
}

function toMillis(at: unknown, now: number): unknown {
  if (at === undefined) return now;
  return at instanceof Date ? at.getTime() : at;
}

/**
 * Shorten texts that are too long: the turn is worth more than its title. Keys are not changed, since a shortened key
 * names something else.
 */
function repairTexts(fields: Record<string, unknown>): Record<string, unknown> {
  const repaired: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    const text = typeof value === 'string';
    if (text && LABELS.has(name)) repaired[name] = storable(value, PROTOCOL_LIMITS.maxLabelLength);
    else if (text && TEXTS.has(name)) repaired[name] = storable(value, PROTOCOL_LIMITS.maxTextLength);
    else repaired[name] = value;
  }
  return repaired;
}

function storable(value: string, maxLength: number): string {
  return value
    .slice(0, maxLength)
    .replaceAll('\u0000', '\ufffd')
    .replace(/\p{Cs}/gu, '\ufffd');
}

/** A handle that adds the session's key. It has no state, so any number may exist. */
export function createRunnerSession(
  key: string,
  takeOver: (build: () => unknown) => HandOver,
  destination: () => SessionDestination,
): RunnerSession {
  const report =
    <T extends ItemType>(type: T) =>
    (fields?: FieldsOf<T>): HandOver =>
      takeOver(() => ({ ...fields, type, session: key }));
  return {
    key,
    destination,
    start: report('session_start'),
    turn: report('turn'),
    reading: report('reading'),
    restart: report('restart'),
    compaction: report('compaction'),
    clear: report('clear'),
    compress: report('compress'),
    alias: report('session_alias'),
    archive: report('archive'),
    gap: report('gap'),
    end: report('session_end'),
  };
}
