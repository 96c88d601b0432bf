/**
 * What is known of one call (or of one reading on its own), whichever item said it, and how two reports of the
 * same call become one.
 */
import type { Item, ItemOf, ReadingBasis, Usage } from '../../core/protocol/items';
import { callOfKey } from './hash-item';
import type { Refused } from './types';

export interface CallFacts {
  kind: 'turn' | 'reading';
  chain: string;
  scope: 'main' | 'side';
  hasCall: boolean;
  model: string | null;
  limit: number | null;
  usage: Usage | null;
  contextTokens: number | null;
  basis: ReadingBasis | null;
  inherited: boolean;
}

export type CallItem = ItemOf<'turn'> | ItemOf<'reading'>;

export function isCallItem(item: Item): item is CallItem {
  return item.type === 'turn' || item.type === 'reading';
}

export function factsOf(item: CallItem): CallFacts {
  const isTurn = item.type === 'turn';
  const contextTokens = item.contextTokens ?? null;
  return {
    kind: item.type,
    chain: item.chain ?? 'main',
    scope: isTurn ? (item.scope ?? 'main') : 'main',
    hasCall: item.call !== undefined,
    model: item.model ?? null,
    limit: item.limit ?? null,
    usage: isTurn ? (item.usage ?? null) : null,
    contextTokens,
    basis: contextTokens === null ? null : (item.basis ?? 'total'),
    inherited: isTurn ? (item.inherited ?? false) : false,
  };
}

/**
 * The item as the fold gets it, now and whenever it is folded again. The call's name is not stored, so the fold
 * never sees it: the call key stands for it, and readings of a call carry the same one as its turn.
 */
export function itemOfFacts(facts: CallFacts, row: { seq: number; at: number; callKey: string }): CallItem {
  // The fold works within one session and never reads its key.
  const common = { seq: row.seq, session: '-', at: row.at, chain: facts.chain };
  const item: CallItem =
    facts.kind === 'turn'
      ? { type: 'turn', ...common, scope: facts.scope, usage: facts.usage }
      : { type: 'reading', ...common, contextTokens: facts.contextTokens ?? 0 };
  if (facts.hasCall) item.call = callOfKey(row.callKey);
  if (facts.model !== null) item.model = facts.model;
  if (facts.limit !== null) item.limit = facts.limit;
  if (facts.contextTokens !== null) {
    item.contextTokens = facts.contextTokens;
    item.basis = facts.basis ?? 'total';
  }
  if (item.type === 'turn' && facts.inherited) item.inherited = true;
  return item;
}

export type Merge =
  | { kind: 'same' }
  | { kind: 'amended'; facts: CallFacts }
  | ({ kind: 'conflict' } & Refused);

/**
 * Brings a second report of a call into the first. Output and readings grow, what was missing is filled in, an
 * estimate gives way to a real reading; another input or cache figure is a conflict.
 *
 * @param prefer whose chain, scope, model and limit stand where the two differ: a better source's, or in one
 *   stream those of the lower seq
 */
export function mergeFacts(stored: CallFacts, incoming: CallFacts, prefer: 'stored' | 'incoming'): Merge {
  const usage = mergeUsage(stored.usage, incoming.usage);
  if (usage && 'conflict' in usage) {
    const reason = `this call was reported before with another figure (${usage.before}, now ${usage.now})`;
    return { kind: 'conflict', code: 'call_conflict', field: `usage.${usage.conflict}`, reason };
  }
  const [first, second] = prefer === 'incoming' ? [incoming, stored] : [stored, incoming];
  const reading = mergeReading(stored, incoming);
  const facts: CallFacts = {
    kind: stored.kind,
    chain: first.chain,
    scope: first.scope,
    hasCall: stored.hasCall,
    model: first.model ?? second.model,
    limit: first.limit ?? second.limit,
    usage,
    contextTokens: reading.contextTokens,
    basis: reading.basis,
    inherited: stored.inherited && incoming.inherited,
  };
  return isSame(stored, facts) ? { kind: 'same' } : { kind: 'amended', facts };
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

function mergeReading(a: CallFacts, b: CallFacts): Pick<CallFacts, 'contextTokens' | 'basis'> {
  if (a.contextTokens === null || a.basis === null) return b;
  if (b.contextTokens === null || b.basis === null) return a;
  if (a.basis !== b.basis) return BASIS_RANK[a.basis] < BASIS_RANK[b.basis] ? a : b;
  return a.contextTokens >= b.contextTokens ? a : b;
}

function isSame(a: CallFacts, b: CallFacts): boolean {
  return (
    a.chain === b.chain &&
    a.scope === b.scope &&
    a.model === b.model &&
    a.limit === b.limit &&
    a.contextTokens === b.contextTokens &&
    a.basis === b.basis &&
    a.inherited === b.inherited &&
    (a.usage === null) === (b.usage === null) &&
    a.usage?.input === b.usage?.input &&
    (a.usage?.output ?? 0) === (b.usage?.output ?? 0) &&
    a.usage?.cacheRead === b.usage?.cacheRead &&
    a.usage?.cacheCreation === b.usage?.cacheCreation
  );
}
