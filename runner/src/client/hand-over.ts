/** Checks the agent's items, numbers them, and writes them to the queue. Never throws. */
import { cutPoints } from '../../../core/protocol/code-points';
import type { ItemType } from '../../../core/protocol/items';
import { PROTOCOL_LIMITS } from '../../../core/protocol/limits';
import { parseItem } from '../../../core/protocol/parse-item';
import type { DurableQueue } from '../queue/durable-queue';
import type { FieldsOf, HandOver, RefusedItem, RunnerSession, TurnFields } from './client-types';
import { hintWireNames, nameField, refuseNames, wireTurn } from './wire-turn';

export interface HandOverContext {
  queue: DurableQueue;
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
    // For example a getter that throws, or a value that JSON cannot represent.
    const reason = error instanceof Error ? error.message : String(error);
    context.refuse({ seq: null, session: null, type: null, code: 'invalid_message', field: '', reason });
  }
  return null;
}

function enqueue(input: unknown, { queue, now, content }: HandOverContext): number | RefusedItem {
  const seq = queue.nextSeq;
  const isObject = typeof input === 'object' && input !== null;
  const fields: Record<string, unknown> = isObject ? { ...input, seq } : {};
  const prefix = `${queue.identity.client}:`;
  for (const name of LINKS) {
    const key = fields[name];
    if (typeof key === 'string' && key.startsWith(prefix)) fields[name] = key.slice(prefix.length);
  }
  const { at = now() } = fields;
  fields.at = at instanceof Date ? at.getTime() : at;
  if (!content) for (const name of CONTENT_FIELDS) delete fields[name];
  const isTurn = fields.type === 'turn';
  const reason = isTurn ? refuseNames(fields.usage) : null;
  if (reason !== null) return refusalOf(fields, { code: 'invalid_field', field: 'usage', reason });
  const named = fields.usage;
  if (isTurn) Object.assign(fields, wireTurn(fields));
  const checked = parseItem(isObject ? fields : input);
  const repaired = checked.ok ? checked : parseItem(repairTexts(fields));
  if (repaired.ok) {
    queue.append(JSON.stringify(repaired.item));
    return seq;
  }
  const fault = checked.ok ? repaired.fault : checked.fault;
  return refusalOf(fields, fields.usage === named ? fault : nameField(fault));
}

function refusalOf(
  { session, type }: Record<string, unknown>,
  { code, field, reason }: Pick<RefusedItem, 'code' | 'field' | 'reason'>,
): RefusedItem {
  return { seq: null, session: shortText(session), type: shortText(type), code, field, reason };
}

/** Queue a gap for a refused turn, so that the context's sums count as a lower bound. */
function recordLostTurn(input: unknown, reason: string, context: HandOverContext): void {
  const { session, chain, at } = input as Record<string, unknown>;
  const gap = { type: 'gap', session, chain, at, count: 1, reason };
  if (typeof enqueue(gap, context) === 'number') return;
  // The turn's time or chain was invalid.
  enqueue({ ...gap, chain: undefined, at: undefined }, context);
}

export function shortText(value: unknown): string | null {
  return typeof value === 'string' ? cutPoints(value, PROTOCOL_LIMITS.maxKeyLength) : null;
}

/** Fields that hold the key of a session. */
const LINKS = ['session', 'previous', 'forkedFrom'];
/** Fields with text written by users or models; with content off, they are never stored or sent. */
const CONTENT_FIELDS = ['title', 'checkpoint', 'prompt'] as const;
const TEXTS = ['checkpoint', 'prompt'];
const LABELS = ['title', 'client', 'clientVersion', 'model', 'host', 'folder', 'branch', 'reason', 'path'];

/**
 * Shorten texts that are too long, since the turn matters more than its title. Keys are not shortened, because a
 * shortened key would name something else.
 */
function repairTexts(fields: Record<string, unknown>): Record<string, unknown> {
  const { maxTextLength, maxLabelLength } = PROTOCOL_LIMITS;
  const repaired = { ...fields };
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value !== 'string') continue;
    if (TEXTS.includes(name)) repaired[name] = storable(value, maxTextLength);
    if (LABELS.includes(name)) repaired[name] = storable(value, maxLabelLength);
  }
  return repaired;
}

function storable(value: string, maxLength: number): string {
  return cutPoints(value, maxLength).replace(/[\0\p{Cs}]/gu, '\ufffd');
}

/** A handle that adds the session's key. It has no state, so any number may exist. */
export function createRunnerSession(
  key: string,
  takeOver: (build: () => unknown) => HandOver,
  { destination, onCommand }: Pick<RunnerSession, 'destination' | 'onCommand'>,
): RunnerSession {
  const report =
    <T extends ItemType>(type: T) =>
    (fields?: FieldsOf<T>): HandOver =>
      takeOver(() => ({ ...fields, type, session: key }));
  return {
    key,
    destination,
    onCommand,
    start: report('session_start'),
    turn: (fields: TurnFields | FieldsOf<'turn'>) =>
      takeOver(() => {
        const turn = { ...fields, type: 'turn', session: key };
        hintWireNames(turn.usage);
        return turn;
      }),
    reading: report('reading'),
    restart: report('restart'),
    compaction: report('compaction'),
    clear: report('clear'),
    compress: report('compress'),
    alias: report('session_alias'),
    archive: report('archive'),
    gap: report('gap'),
    command: report('command_state'),
    end: report('session_end'),
  };
}
