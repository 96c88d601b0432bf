/** Maps calls to rows and back, and merges two reports of a call. */
import { isDeepStrictEqual } from 'node:util';
import type { DerivedTurn } from '../../core/accounting/fold-types';
import type { TurnFlags } from '../../core/accounting/types';
import type { ItemOf, ReadingBasis, TurnItem, Usage } from '../../core/protocol/items';
import { callOfKey } from '../codes/hash-item';
import { packTurnBits, unpackTurnBits } from '../codes/turn-bits';
import { sessions } from '../schema/sessions';
import { turns } from '../schema/turns';
import { columnsText, type Row } from '../tables';
import { type Call, MAX_NUMBER, type PlacedCall, type Refused } from './types';

export type TurnRow = Row<typeof turns>;
export type StoredTurn = TurnRow & { chainKey: string; model: string | null };

/** Names are read by subqueries, because a join could scan all chains for each call. */
export const STORED_TURN = `
  ${columnsText(turns, 't')},
  (select c.key from chains c where c.session_id = t.session_id and c.chain = t.chain) as "chainKey",
  (select name from models where id = t.model_id) as model`;

export const LOCKED_SESSION = columnsText(sessions, 'sessions');

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

/** The row of a call. Without `derived`, the columns computed by the fold stay empty until a refold. */
export function turnRow(
  call: PlacedCall,
  { sessionId, chain, modelId }: Pick<TurnRow, 'sessionId' | 'chain' | 'modelId'>,
  derived: DerivedTurn | null,
): TurnRow {
  const { position, seq, runnerTime, serverTime, callKey, streamId, source, clockAgrees, item } = call;
  const { usage, scope, limit, contextTokens, inherited } = item;
  const reported = { ...NO_FLAGS, noUsage: usage === null, inherited, readingOnly: item.type === 'reading' };
  const flags = derived?.flags ?? reported;
  const isRead = contextTokens !== undefined && derived?.usedSnapshot === contextTokens && scope === 'main';
  return {
    position,
    sessionId,
    seq,
    input: usage?.input ?? 0,
    output: usage?.output ?? 0,
    cacheRead: usage?.cacheRead ?? 0,
    cacheCreation: usage?.cacheCreation ?? 0,
    cumulativeInput: derived?.cumulative.input ?? 0,
    cumulativeOutput: derived?.cumulative.output ?? 0,
    cumulativeCacheRead: derived?.cumulative.cacheRead ?? 0,
    reading: contextTokens ?? null,
    limitTokens: derived ? derived.limit : (limit ?? null),
    runnerTime,
    serverTime,
    chartTime: derived?.time ?? runnerTime,
    callKey,
    hash: Number(call.hash),
    streamId,
    number: derived?.number ?? 0,
    context: Math.min(derived?.context ?? 0, MAX_NUMBER),
    bits: packTurnBits({
      scope,
      basis: item.basis ?? null,
      limitSource: derived?.limitSource ?? (limit === undefined ? 'none' : 'turn'),
      source,
      flags,
      ownLimit: limit !== undefined,
      hasCall: item.call !== undefined,
      readingUsed: isRead && !(flags.readingIgnored || flags.inherited || flags.superseded),
      snapshotKnown: derived !== null && derived.usedSnapshot !== null,
      clockAgrees,
      absent: {
        input: usage !== null && usage.input === undefined,
        cacheRead: usage !== null && usage.cacheRead === undefined,
        cacheCreation: usage !== null && usage.cacheCreation === undefined,
      },
    }),
    modelId,
    chain,
  };
}

export function placedCall(row: StoredTurn): PlacedCall {
  const { position, streamId, seq, callKey, runnerTime, serverTime } = row;
  const { flags, absent, scope, basis, source, clockAgrees, hasCall, ownLimit } = unpackTurnBits(row.bits);
  const usage: Usage = { output: row.output };
  if (!absent.input) usage.input = row.input;
  if (!absent.cacheRead) usage.cacheRead = row.cacheRead;
  if (!absent.cacheCreation) usage.cacheCreation = row.cacheCreation;
  const item: Call = {
    type: flags.readingOnly ? 'reading' : 'turn',
    seq,
    session: '-',
    at: runnerTime,
    chain: row.chainKey,
    scope,
    call: hasCall ? callOfKey(callKey) : undefined,
    model: row.model ?? undefined,
    limit: ownLimit ? (row.limitTokens ?? undefined) : undefined,
    usage: flags.noUsage || flags.readingOnly ? null : usage,
    contextTokens: row.reading ?? undefined,
    basis: basis ?? undefined,
    inherited: flags.inherited,
  };
  const how = { streamId, seq, hash: String(row.hash), source, runnerTime, serverTime, clockAgrees };
  return { ...how, callKey, item, position, arrivals: [] };
}

/** The normal form of a call. An item and its stored row have equal normal forms. The call key replaces the call id. */
export function normalCall(item: TurnItem | ItemOf<'reading'>, callKey: string): Call {
  const { type, seq, at, chain = 'main', call, model, limit, contextTokens, basis = 'total' } = item;
  const { usage, scope = 'main', inherited = false }: Partial<TurnItem> = item.type === 'turn' ? item : {};
  return {
    type,
    seq,
    session: '-',
    at: Math.floor(at),
    chain,
    scope,
    call: call === undefined ? undefined : callOfKey(callKey),
    model,
    limit,
    usage: usage ? { ...usage, output: usage.output ?? 0 } : null,
    contextTokens,
    basis: contextTokens === undefined ? undefined : basis,
    inherited,
  };
}

export type Merge =
  | { kind: 'same' }
  | { kind: 'amended'; item: Call }
  | { kind: 'conflict'; refused: Refused };

/**
 * Merge two reports of a call. Output and readings grow, missing figures are filled in, and a real reading replaces an
 * estimate. A different input or cache figure is a conflict. `prefer`: the report whose chain, scope, model and limit
 * apply.
 */
export function mergeCalls(stored: Call, incoming: Call, prefer: 'stored' | 'incoming'): Merge {
  const usage = mergeUsage(stored.usage, incoming.usage);
  if (usage && 'reason' in usage) return { kind: 'conflict', refused: usage };
  const [first, second] = prefer === 'incoming' ? [incoming, stored] : [stored, incoming];
  const { contextTokens, basis } = betterReading(stored, incoming);
  const { type, seq, session, at, call } = stored;
  const item: Call = {
    ...{ type, seq, session, at, call },
    chain: first.chain,
    scope: first.scope,
    model: first.model ?? second.model,
    limit: first.limit ?? second.limit,
    usage,
    contextTokens,
    basis,
    inherited: stored.inherited && incoming.inherited,
  };
  return isDeepStrictEqual(stored, item) ? { kind: 'same' } : { kind: 'amended', item };
}

function mergeUsage(stored: Usage | null, incoming: Usage | null): Usage | null | Refused {
  if (!stored || !incoming) return stored ?? incoming;
  const merged: Usage = { ...stored, output: Math.max(stored.output ?? 0, incoming.output ?? 0) };
  for (const field of ['input', 'cacheRead', 'cacheCreation'] as const) {
    const before = stored[field];
    const now = incoming[field];
    if (now === undefined) continue;
    if (before !== undefined && before !== now) {
      const reason = `this call was reported before with another figure (${before}, now ${now})`;
      return { code: 'call_conflict', field: `usage.${field}`, reason };
    }
    merged[field] = now;
  }
  return merged;
}

const BASIS_RANK: Readonly<Record<ReadingBasis, number>> = { total: 0, input: 1, estimate: 2 };

function betterReading(a: Call, b: Call): Call {
  if (a.contextTokens === undefined || a.basis === undefined) return b;
  if (b.contextTokens === undefined || b.basis === undefined) return a;
  if (a.basis !== b.basis) return BASIS_RANK[a.basis] < BASIS_RANK[b.basis] ? a : b;
  return a.contextTokens >= b.contextTokens ? a : b;
}
