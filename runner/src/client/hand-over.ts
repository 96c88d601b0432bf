/** Checks the agent's items, numbers them, and writes them to the queue. Never throws. */
import { cutPoints } from '../../../core/protocol/code-points';
import type { ItemType, Usage } from '../../../core/protocol/items';
import { PROTOCOL_LIMITS } from '../../../core/protocol/limits';
import { parseItem } from '../../../core/protocol/parse-item';
import { hintRenamed } from '../old-names';
import type { DurableQueue } from '../queue/durable-queue';
import type { UsageCounts } from '../usage/read-usage';
import type { FieldsOf, HandOver, RefusedItem, RunnerSession, TurnFields } from './client-types';

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
  if (isTurn) fields.usage = wireUsage(named);
  const checked = parseItem(isObject ? fields : input);
  const repaired = checked.ok ? checked : parseItem(repairTexts(fields));
  if (repaired.ok) {
    queue.append(JSON.stringify(repaired.item));
    return seq;
  }
  const fault = checked.ok ? repaired.fault : checked.fault;
  const known =
    fields.usage === named ? undefined : NAMES.find(([, wire]) => fault.field === `usage.${wire}`);
  return refusalOf(fields, known === undefined ? fault : { ...fault, field: `usage.${known[0]}` });
}

function refusalOf(
  { session, type }: Record<string, unknown>,
  { code, field, reason }: Pick<RefusedItem, 'code' | 'field' | 'reason'>,
): RefusedItem {
  return { seq: null, session: shortText(session), type: shortText(type), code, field, reason };
}

/** The library's names of the counts, and the protocol's. */
const NAMES: readonly (readonly [name: keyof UsageCounts, wire: keyof Usage])[] = [
  ['inputTokens', 'input'],
  ['outputTokens', 'output'],
  ['cacheReadTokens', 'cacheRead'],
  ['cacheCreationTokens', 'cacheCreation'],
];
/** Fields of the AI SDK and of OpenAI Agents. Their `inputTokens` include cached tokens. */
const FOREIGN = ['inputTokenDetails', 'outputTokenDetails', 'inputTokensDetails', 'cachedInputTokens'];
const READ = "use readUsage(response) of barograph/usage to read a provider's response";

/** A usage with the protocol's names; unchanged if it has none of the library's names. */
function wireUsage(usage: unknown): unknown {
  if (typeof usage !== 'object' || usage === null || !NAMES.some(([name]) => name in usage)) return usage;
  const counts = usage as Record<string, unknown>;
  return Object.fromEntries(NAMES.map(([name, wire]) => [wire, counts[name] ?? counts[wire]]));
}

function hintWireNames(usage: object | null | undefined): void {
  for (const [name, wire] of NAMES)
    if (usage && wire in usage) hintRenamed('session.turn', `usage.${wire}`, `usage.${name}`);
}

/**
 * Why a usage is refused: with only unknown names each count would be 0, because the protocol ignores unknown fields.
 * Null: its names are known, or there is none.
 */
function refuseNames(usage: unknown): string | null {
  if (typeof usage !== 'object' || usage === null) return null;
  const foreign = FOREIGN.find((name) => name in usage);
  if (foreign !== undefined) {
    return `has the field ${foreign} of a library that counts cached tokens as input; ${READ}`;
  }
  const names = Object.keys(usage);
  if (names.length === 0 || NAMES.flat().some((name) => name in usage)) return null;
  const known = NAMES.map(([name]) => name).join(', ');
  return `has only unknown fields (${names.slice(0, 8).join(', ')}) and none of ${known}; ${READ}`;
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
