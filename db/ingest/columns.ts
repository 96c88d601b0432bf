/** Maps calls to rows and back, and merges two reports of a call. */

import { isDeepStrictEqual } from 'node:util';
import { MAIN_CHAIN } from '../../core/accounting/empty-fold';
import type { DerivedTurn } from '../../core/accounting/fold-types';
import { LIMIT_SOURCES, type LimitSource, type TurnFlags } from '../../core/accounting/types';
import { isSummaryChain } from '../../core/agents/clients';
import type { ItemOf, ReadingBasis, TurnItem, Usage } from '../../core/protocol/items';
import { CALL_HASH, CALL_HASH_BITS, callOfKey } from '../codes/hash-item';
import { packTurnBits, TURN_BITS, unpackTurnBits } from '../codes/turn-bits';
import { peerOutcomes } from '../queries/peer-outcomes';
import { sessions } from '../schema/sessions';
import { type refutedLimits, turns } from '../schema/turns';
import { columnsText, type Row } from '../tables';
import { type Call, MAX_NUMBER, type PlacedCall, type Refused } from './types';

export type TurnRow = Row<typeof turns>;
export type StoredTurn = TurnRow & { chainKey: string; model: string | null };
export type RefutedLimit = Row<typeof refutedLimits>;
/** `refuted`: the limit that the call states, if another limit applies. */
export type StoredCall = StoredTurn & { refuted: Pick<RefutedLimit, 'limitTokens' | 'source'> | null };

/**
 * Names are read by subqueries, because a join could scan all chains for each call.
 * @param bounds a condition on the sessions of the rows `c`
 */
const storedTurn = (bounds = 'true'): string => `
  ${columnsText(turns, 't')},
  (select c.key from chains c where c.session_id = t.session_id and c.chain = t.chain and ${bounds}) as "chainKey",
  (select name from models where id = t.model_id) as model`;
export const STORED_TURN = storedTurn();

/** A stored turn with all that `placedCall` needs. @param bounds as for `storedTurn` */
export const storedCall = (bounds = 'true'): string => `${storedTurn(bounds)},
  (select json_build_object('limitTokens', c.limit_tokens, 'source', c.source) from refuted_limits c
    where c.session_id = t.session_id and c.call_key = t.call_key and ${bounds}) as refuted`;
export const STORED_CALL = storedCall();

export const LOCKED_SESSION = `${columnsText(sessions, 'sessions')}, ${peerOutcomes('sessions')}`;

const NO_FLAGS: TurnFlags = {
  estimated: false,
  untracked: false,
  noUsage: false,
  inherited: false,
  negative: false,
  clock: false,
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
  const { usage, scope, limit, limitSource: statedBy = 'turn', contextTokens, inherited } = item;
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
    hash: Number(call.hash) | (call.figures << CALL_HASH_BITS),
    streamId,
    number: derived?.number ?? 0,
    context: Math.min(derived?.context ?? 0, MAX_NUMBER),
    bits: packTurnBits({
      scope,
      basis: item.basis ?? null,
      limitSource: derived?.limitSource ?? (limit === undefined ? 'none' : statedBy),
      source,
      flags,
      hasCall: item.call !== undefined,
      readingUsed: isRead && !(flags.readingIgnored || flags.inherited),
      snapshotKnown: derived !== null && derived.usedSnapshot !== null,
      clockAgrees,
      figures: call.figures >> BITS_IN_HASH,
    }),
    modelId,
    chain,
  };
}

/** The limit that a call states, if the fold applies another limit. */
export function refutedLimit(
  { callKey, item }: PlacedCall,
  sessionId: number,
  derived: DerivedTurn | null,
): RefutedLimit | null {
  const { limit, limitSource = 'turn' } = item;
  if (limit === undefined || derived === null) return null;
  if (derived.limit === limit && derived.limitSource === limitSource) return null;
  return { sessionId, callKey, limitTokens: limit, source: LIMIT_SOURCES.indexOf(limitSource) };
}

export function placedCall(row: StoredCall): PlacedCall {
  const { refuted, position, streamId, seq, callKey, runnerTime, serverTime } = row;
  const { flags, scope, basis, source, clockAgrees, hasCall, ...bits } = unpackTurnBits(row.bits);
  const figures = (bits.figures << BITS_IN_HASH) | (row.hash >>> CALL_HASH_BITS);
  const reported = figuresOf({ source, figures });
  const statedBy = refuted === null ? bits.limitSource : LIMIT_SOURCES[refuted.source];
  const usage: Usage = {};
  for (const name of COUNTS) if (reported[name] !== UNREPORTED) usage[name] = row[name];
  const item: Call = {
    type: flags.readingOnly ? 'reading' : 'turn',
    seq,
    session: '-',
    at: runnerTime,
    chain: row.chainKey,
    scope,
    call: hasCall ? callOfKey(callKey) : undefined,
    model: row.model ?? undefined,
    limit: reported.limit === UNREPORTED ? undefined : (refuted?.limitTokens ?? row.limitTokens ?? undefined),
    limitSource: reported.limit === UNREPORTED ? undefined : statementOf(statedBy),
    usage: flags.noUsage || flags.readingOnly ? null : usage,
    contextTokens: row.reading ?? undefined,
    basis: basis ?? undefined,
    // A sum that the transcript covers has both flags. The fold decides again whether the transcript covers it.
    inherited: flags.inherited && !flags.readingIgnored,
  };
  const hash = String(row.hash & CALL_HASH);
  const how = { streamId, seq, hash, source, runnerTime, serverTime, clockAgrees };
  return { ...how, callKey, item, position, figures, arrivals: [], ...(refuted && { isRefuted: true }) };
}

function statementOf(source: LimitSource | undefined): Call['limitSource'] {
  return source === 'client' || source === 'status_line' || source === 'api_error' ? source : undefined;
}

/** The normal form of a call. An item and its stored row have equal normal forms. The call key replaces the call id. */
export function normalCall(item: TurnItem | ItemOf<'reading'>, callKey: string): Call {
  const { type, seq, at, chain = 'main', call, model, limit, limitSource, contextTokens } = item;
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
    limitSource: limit === undefined ? undefined : limitSource,
    usage: usage ? { ...usage } : null,
    contextTokens,
    basis: contextTokens === undefined ? undefined : (item.basis ?? 'total'),
    inherited,
  };
}

export type Merge =
  | { kind: 'merged'; item: Call; figures: number; isAmended: boolean }
  | { kind: 'conflict'; refused: Refused };

const COUNTS = ['input', 'output', 'cacheRead', 'cacheCreation'] as const;
const FIGURES = [...COUNTS, 'reading', 'model', 'limit'] as const;

/** For each figure, the code of the best source that reported it. `reporters`: one bit for each source of the call. */
type FigureSources = Record<(typeof FIGURES)[number], number> & { reporters: number };

/** The code of a figure that no source reported. It ranks below the code of every source. */
const UNREPORTED = 4;
/** The low bits of the packed sources hold the codes of the figures as one number in base five. */
const CODE_BITS = 17;
/** Number of low bits of the packed sources in the column `hash`. The other bits are in the column `bits`. */
const BITS_IN_HASH = 32 - CALL_HASH_BITS;
/** The position of the reporters in the column `bits`. */
export const REPORTERS_SHIFT = TURN_BITS.figuresShift + CODE_BITS - BITS_IN_HASH;

function packFigureSources(sources: Readonly<FigureSources>): number {
  const codes = FIGURES.reduce((packed, name) => packed * (UNREPORTED + 1) + sources[name], 0);
  return (sources.reporters << CODE_BITS) | codes;
}

/** A call with the packed sources of its figures. */
export type SourcedCall = Pick<PlacedCall, 'item' | 'source' | 'figures'>;

/** `place`: the source of chain and scope. */
function figuresOf({ source, figures }: Omit<SourcedCall, 'item'>): FigureSources & { place: number } {
  let codes = figures & (2 ** CODE_BITS - 1);
  const sources: Record<string, number> = { place: source, reporters: figures >> CODE_BITS };
  for (let i = FIGURES.length - 1; i >= 0; i -= 1) {
    sources[FIGURES[i] ?? ''] = codes % (UNREPORTED + 1);
    codes = Math.floor(codes / (UNREPORTED + 1));
  }
  return sources as FigureSources & { place: number };
}

/** The packed sources of a call that one source reported. */
export function figuresFrom({ usage, contextTokens, model, limit }: Call, source: number): number {
  const codeOf = (figure: unknown) => (figure === undefined ? UNREPORTED : source);
  return packFigureSources({
    input: codeOf(usage?.input),
    output: codeOf(usage?.output),
    cacheRead: codeOf(usage?.cacheRead),
    cacheCreation: codeOf(usage?.cacheCreation),
    reading: codeOf(contextTokens),
    model: codeOf(model),
    limit: codeOf(limit),
    reporters: 1 << source,
  });
}

/**
 * Merge two reports of a call figure by figure: the better source's figure wins, and a figure that only one report has
 * is kept. Reports of one source may raise output and reading, and may make a turn a side call. A different input or
 * cache figure from the same source is a conflict. `isEarlier`: the incoming report precedes the stored one in their
 * stream.
 */
export function mergeCalls(stored: SourcedCall, incoming: SourcedCall, isEarlier = false): Merge {
  const ours = figuresOf(stored);
  const theirs = figuresOf(incoming);
  const wins = (name: keyof typeof ours) =>
    theirs[name] === ours[name] ? isEarlier : theirs[name] < ours[name];
  const figures = { ...ours, reporters: ours.reporters | theirs.reporters };
  const usage: Usage = {};
  for (const name of COUNTS) {
    const before = stored.item.usage?.[name];
    const now = incoming.item.usage?.[name];
    const isTie = ours[name] === theirs[name];
    if (isTie && name !== 'output' && before !== now) {
      const reason = `this call was reported before with another figure (${before}, now ${now})`;
      return { kind: 'conflict', refused: { code: 'call_conflict', field: `usage.${name}`, reason } };
    }
    const count = isTie && now !== undefined ? Math.max(before ?? now, now) : wins(name) ? now : before;
    if (count !== undefined) usage[name] = count;
  }
  for (const name of FIGURES) figures[name] = Math.min(ours[name], theirs[name]);
  const place = takesPlace(stored, incoming, wins('place')) ? incoming.item : stored.item;
  // A main turn's reading does not describe a side call.
  const isMoved = place.scope === 'side' && stored.item.scope !== incoming.item.scope;
  const isTheirs = isMoved
    ? place === incoming.item
    : isBetterReading(incoming.item, theirs.reading, stored.item, ours.reading);
  const read = isTheirs ? incoming.item : stored.item;
  figures.reading = isTheirs ? theirs.reading : ours.reading;
  const { type, seq, session, at, call = incoming.item.call } = stored.item;
  const stated = wins('limit') ? incoming.item : stored.item;
  const item: Call = {
    ...{ type, seq, session, at, call },
    chain: place.chain,
    scope: place.scope,
    model: wins('model') ? incoming.item.model : stored.item.model,
    limit: stated.limit,
    limitSource: stated.limitSource,
    usage: stored.item.usage || incoming.item.usage ? usage : null,
    contextTokens: read.contextTokens,
    basis: read.basis,
    inherited: stored.item.inherited && incoming.item.inherited,
  };
  const isAmended = !isDeepStrictEqual(stored.item, item);
  return { kind: 'merged', item, figures: packFigureSources(figures), isAmended };
}

/** A client may show only after a call that the call was its own request. So a side call of a source prevails. */
function takesPlace(stored: SourcedCall, incoming: SourcedCall, wins: boolean): boolean {
  const isSide = stored.item.scope === 'side';
  const isNewsOfSource = stored.source === incoming.source && isSide !== (incoming.item.scope === 'side');
  return isNewsOfSource ? !isSide : wins;
}

const BASIS_RANK: Readonly<Record<ReadingBasis, number>> = { total: 0, input: 1, estimate: 2 };

export function reportersOf({ figures }: SourcedCall): number {
  return figures >> CODE_BITS;
}

/**
 * Whether two reports of different sources may describe one call. At least one report has no id, their chains fit, both
 * have input and output, and every count that both have is equal. Sources may put the same side call on different chains.
 * Codex's telemetry puts the call of a compaction on the main chain.
 */
export function isSameSpending(one: SourcedCall, two: SourcedCall): boolean {
  const [a, b] = [one.item, two.item];
  if ((a.call !== undefined && b.call !== undefined) || (reportersOf(one) & reportersOf(two)) !== 0)
    return false;
  const isSamePlace =
    a.chain === b.chain ||
    (a.scope === 'side' && b.scope === 'side') ||
    (a.chain === MAIN_CHAIN && isSummaryChain(b.chain)) ||
    (b.chain === MAIN_CHAIN && isSummaryChain(a.chain));
  if (!isSamePlace || a.inherited !== b.inherited) return false;
  const shared = COUNTS.filter((name) => a.usage?.[name] !== undefined && b.usage?.[name] !== undefined);
  if (!shared.includes('input') || !shared.includes('output')) return false;
  return shared.every((name) => a.usage?.[name] === b.usage?.[name]);
}

/** Prefer a real reading to an estimate, then the better source, then readings with output, then the larger one. */
function isBetterReading(a: Call, sourceOfA: number, b: Call, sourceOfB: number): boolean {
  if (a.contextTokens === undefined || a.basis === undefined) return false;
  if (b.contextTokens === undefined || b.basis === undefined) return true;
  if ((a.basis === 'estimate') !== (b.basis === 'estimate')) return b.basis === 'estimate';
  if (sourceOfA !== sourceOfB) return sourceOfA < sourceOfB;
  if (a.basis !== b.basis) return BASIS_RANK[a.basis] < BASIS_RANK[b.basis];
  return a.contextTokens > b.contextTokens;
}

/** Match each call of one session with the next call of the other session that has no common id but may be the same. */
export function matchCalls(
  from: readonly StoredCall[],
  to: readonly StoredCall[],
): { was: string; key: string }[] {
  const calls = to.map(placedCall);
  return from.map(placedCall).flatMap((call) => {
    const index = calls.findIndex(
      (other) => call.item.type === other.item.type && isSameSpending(other, call),
    );
    const [same] = index < 0 ? [] : calls.splice(index, 1);
    return same ? [{ was: call.callKey, key: same.callKey }] : [];
  });
}

/** Merge two reports of a call. Returns null for a conflict: `ours` stays. */
export function mergePlaced(ours: PlacedCall, theirs: PlacedCall): PlacedCall | null {
  const merge = mergeCalls(ours, theirs);
  if (merge.kind === 'conflict') return null;
  const { item, figures } = merge;
  return { ...ours, item, figures, source: Math.min(ours.source, theirs.source) };
}
