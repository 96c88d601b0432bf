/**
 * Turns (and readings on their own) between item and row. The columns themselves are described in db/schema/turns.ts;
 * here is how a row is filled from an item and its fold, and how the item is read back.
 */
import type postgres from 'postgres';
import type { DerivedTurn } from '../../core/accounting/fold-types';
import type { LimitSource, TurnFlags } from '../../core/accounting/types';
import type { ReadingBasis, Usage } from '../../core/protocol/items';
import { callOfKey } from '../codes/hash-item';
import { packTurnBits, unpackTurnBits } from '../codes/turn-bits';
import { turns } from '../schema/turns';
import { type Name, type Row, selectColumns } from '../tables';
import { type CallItem, MAX_NUMBER, type PlacedCall, type Refused } from './types';

export type TurnRow = Row<typeof turns>;
/** A row with its names. */
export type StoredTurn = TurnRow & { chainKey: string; model: string | null };

/** What a report fills; the rest follows from the fold. Some do both. */
export const REPORTED = [
  'input',
  'output',
  'cacheRead',
  'cacheCreation',
  'reading',
  'limitTokens',
  'bits',
  'chain',
  'modelId',
] as const satisfies Name<typeof turns>[];
export const DERIVED = [
  'cumulativeInput',
  'cumulativeOutput',
  'cumulativeCacheRead',
  'limitTokens',
  'chartTime',
  'number',
  'context',
  'bits',
] as const satisfies Name<typeof turns>[];

/**
 * Columns of a turn `t` as a `StoredTurn`. The names are looked up per row: a join could be planned from the chains'
 * side, and probe every chain of a session for each of its calls.
 */
export function storedTurn(tx: postgres.ISql) {
  return tx`
    ${selectColumns(tx, turns, 't')},
    (select c.key from chains c where c.session_id = t.session_id and c.chain = t.chain) as "chainKey",
    (select name from models where id = t.model_id) as model`;
}

interface RowPlace {
  sessionId: number;
  chain: number;
  modelId: number | null;
}

/** The row of a call. `derived` null: it waits for its fold and holds what was reported, nothing that follows. */
export function turnRow(call: PlacedCall, place: RowPlace, derived: DerivedTurn | null): TurnRow {
  const { item } = call;
  const usage = usageOf(item);
  return {
    position: call.position,
    sessionId: place.sessionId,
    seq: call.seq,
    input: usage?.input ?? 0,
    output: usage?.output ?? 0,
    cacheRead: usage?.cacheRead ?? 0,
    cacheCreation: usage?.cacheCreation ?? 0,
    cumulativeInput: derived?.cumulative.input ?? 0,
    cumulativeOutput: derived?.cumulative.output ?? 0,
    cumulativeCacheRead: derived?.cumulative.cacheRead ?? 0,
    reading: item.contextTokens ?? null,
    limitTokens: derived ? derived.limit : (item.limit ?? null),
    runnerTime: call.runnerTime,
    serverTime: call.serverTime,
    chartTime: derived?.time ?? call.runnerTime,
    callKey: call.callKey,
    hash: Number(call.hash),
    streamId: call.streamId,
    number: derived?.number ?? 0,
    // New boundaries end at the bound. Where a recomputation finds more, it must not fail for good.
    context: Math.min(derived?.context ?? 0, MAX_NUMBER),
    bits: bitsOf(call, derived),
    modelId: place.modelId,
    chain: place.chain,
  };
}

const NO_FLAGS: TurnFlags = {
  estimated: false,
  untracked: false,
  noUsage: false,
  inherited: false,
  negative: false,
  clock: false,
  superseded: false,
  readingIgnored: false,
  readingOnly: false,
};

function bitsOf({ item, source, clock }: PlacedCall, derived: DerivedTurn | null): number {
  const usage = usageOf(item);
  const scope = scopeOf(item);
  const flags = derived?.flags ?? {
    ...NO_FLAGS,
    noUsage: usage === null,
    inherited: isInherited(item),
    readingOnly: item.type === 'reading',
  };
  const limitSource: LimitSource = derived?.limitSource ?? (item.limit === undefined ? 'none' : 'turn');
  const readingUsed =
    derived !== null &&
    item.contextTokens !== undefined &&
    derived.usedSnapshot === item.contextTokens &&
    scope === 'main' &&
    !flags.readingIgnored &&
    !flags.inherited &&
    !flags.superseded;
  return packTurnBits({
    scope,
    basis: item.contextTokens === undefined ? null : (item.basis ?? 'total'),
    limitSource,
    source,
    flags,
    ownLimit: item.limit !== undefined,
    hasCall: item.call !== undefined,
    readingUsed,
    snapshotKnown: derived !== null && derived.usedSnapshot !== null,
    clock,
    absent: {
      input: usage !== null && usage.input === undefined,
      cacheRead: usage !== null && usage.cacheRead === undefined,
      cacheCreation: usage !== null && usage.cacheCreation === undefined,
    },
  });
}

/** Whether two derivations of a row are the same. */
export function isDerivedSame(a: TurnRow, b: TurnRow): boolean {
  return DERIVED.every((name) => a[name] === b[name]);
}

/** The item of a row, as the fold gets it. */
export function placedCall(row: StoredTurn): PlacedCall {
  const bits = unpackTurnBits(row.bits);
  const usage = bits.flags.noUsage
    ? null
    : {
        ...(bits.absent.input ? {} : { input: row.input }),
        output: row.output,
        ...(bits.absent.cacheRead ? {} : { cacheRead: row.cacheRead }),
        ...(bits.absent.cacheCreation ? {} : { cacheCreation: row.cacheCreation }),
      };
  return {
    position: row.position,
    streamId: row.streamId,
    seq: row.seq,
    hash: String(row.hash),
    callKey: row.callKey,
    source: bits.source,
    runnerTime: row.runnerTime,
    serverTime: row.serverTime,
    clock: bits.clock,
    arrivals: [],
    item: buildCall({
      type: bits.flags.readingOnly ? 'reading' : 'turn',
      seq: row.seq,
      at: row.runnerTime,
      chain: row.chainKey,
      scope: bits.scope,
      call: bits.hasCall ? callOfKey(row.callKey) : null,
      model: row.model,
      limit: bits.ownLimit ? row.limitTokens : null,
      usage,
      contextTokens: row.reading,
      basis: bits.basis,
      inherited: bits.flags.inherited,
    }),
  };
}

interface CallParts {
  type: 'turn' | 'reading';
  seq: number;
  at: number;
  chain: string;
  scope: 'main' | 'side';
  call: string | null;
  model: string | null;
  limit: number | null;
  usage: Usage | null;
  contextTokens: number | null;
  basis: ReadingBasis | null;
  inherited: boolean;
}

/**
 * A call in normal form, the same for an item and for its row: defaults are filled in, whole milliseconds, and the call
 * key replaces the call's name, which is not stored.
 */
export function normalCall(item: CallItem, callKey: string): CallItem {
  return buildCall({
    type: item.type,
    seq: item.seq,
    at: Math.floor(item.at),
    chain: item.chain ?? 'main',
    scope: scopeOf(item),
    call: item.call === undefined ? null : callOfKey(callKey),
    model: item.model ?? null,
    limit: item.limit ?? null,
    usage: usageOf(item),
    contextTokens: item.contextTokens ?? null,
    basis: item.basis ?? null,
    inherited: isInherited(item),
  });
}

function buildCall(parts: CallParts): CallItem {
  // The fold works within one session and never reads its key.
  const common = { seq: parts.seq, session: '-', at: parts.at, chain: parts.chain };
  const item: CallItem =
    parts.type === 'turn'
      ? { type: 'turn', ...common, scope: parts.scope, usage: parts.usage }
      : { type: 'reading', ...common, contextTokens: parts.contextTokens ?? 0 };
  if (parts.call !== null) item.call = parts.call;
  if (parts.model !== null) item.model = parts.model;
  if (parts.limit !== null) item.limit = parts.limit;
  if (parts.contextTokens !== null) {
    item.contextTokens = parts.contextTokens;
    item.basis = parts.basis ?? 'total';
  }
  if (item.type === 'turn' && parts.inherited) item.inherited = true;
  return item;
}

const usageOf = (item: CallItem): Usage | null => (item.type === 'turn' ? (item.usage ?? null) : null);
const scopeOf = (item: CallItem) => (item.type === 'turn' ? (item.scope ?? 'main') : 'main');
const isInherited = (item: CallItem) => item.type === 'turn' && item.inherited === true;

export type Merge = { kind: 'same' } | { kind: 'amended'; item: CallItem } | ({ kind: 'conflict' } & Refused);

/**
 * Merge a second report of a call into the first, both in normal form. Output and readings grow, what was missing is
 * filled in, an estimate gives way to a real reading; another input or cache figure is a conflict.
 *
 * @param prefer whose chain, scope, model and limit win where the two differ: a better source's, or in one stream those
 *   of the lower seq
 */
export function mergeCalls(stored: CallItem, incoming: CallItem, prefer: 'stored' | 'incoming'): Merge {
  const usage = mergeUsage(usageOf(stored), usageOf(incoming));
  if (usage && 'conflict' in usage) {
    const reason = `this call was reported before with another figure (${usage.before}, now ${usage.now})`;
    return { kind: 'conflict', code: 'call_conflict', field: `usage.${usage.conflict}`, reason };
  }
  const [first, second] = prefer === 'incoming' ? [incoming, stored] : [stored, incoming];
  const reading = betterReading(stored, incoming);
  const item = buildCall({
    type: stored.type,
    seq: stored.seq,
    at: stored.at,
    chain: first.chain ?? 'main',
    scope: scopeOf(first),
    call: stored.call ?? null,
    model: first.model ?? second.model ?? null,
    limit: first.limit ?? second.limit ?? null,
    usage,
    contextTokens: reading.contextTokens ?? null,
    basis: reading.basis ?? null,
    inherited: isInherited(stored) && isInherited(incoming),
  });
  return isSame(stored, item) ? { kind: 'same' } : { kind: 'amended', item };
}

const FIXED = ['input', 'cacheRead', 'cacheCreation'] as const;

function mergeUsage(
  stored: Usage | null,
  incoming: Usage | null,
): Usage | null | { conflict: string; before: number; now: number } {
  if (!stored || !incoming) return stored ?? incoming;
  const merged: Usage = { ...stored };
  for (const field of FIXED) {
    const before = stored[field];
    const now = incoming[field];
    if (now === undefined) continue;
    if (before !== undefined && before !== now) return { conflict: field, before, now };
    merged[field] = now;
  }
  if (incoming.output !== undefined)
    merged.output = Math.max(stored.output ?? incoming.output, incoming.output);
  return merged;
}

const BASIS_RANK: Readonly<Record<ReadingBasis, number>> = { total: 0, input: 1, estimate: 2 };

function betterReading(a: CallItem, b: CallItem): CallItem {
  if (a.contextTokens === undefined || a.basis === undefined) return b;
  if (b.contextTokens === undefined || b.basis === undefined) return a;
  if (a.basis !== b.basis) return BASIS_RANK[a.basis] < BASIS_RANK[b.basis] ? a : b;
  return a.contextTokens >= b.contextTokens ? a : b;
}

function isSame(a: CallItem, b: CallItem): boolean {
  const [before, after] = [usageOf(a), usageOf(b)];
  return (
    a.chain === b.chain &&
    scopeOf(a) === scopeOf(b) &&
    a.model === b.model &&
    a.limit === b.limit &&
    a.contextTokens === b.contextTokens &&
    a.basis === b.basis &&
    isInherited(a) === isInherited(b) &&
    (before === null) === (after === null) &&
    before?.input === after?.input &&
    (before?.output ?? 0) === (after?.output ?? 0) &&
    before?.cacheRead === after?.cacheRead &&
    before?.cacheCreation === after?.cacheCreation
  );
}
