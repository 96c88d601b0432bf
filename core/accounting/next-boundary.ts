import { clientNamed } from '../agents/clients';
import type { Forecast, NextBoundary, Session } from '../api/session';
import { countDown } from '../forecast/count-down';
import type { GrowthRecord } from '../forecast/growth-record';
import type { LensName } from '../protocol/items';
import { getOwn, MAIN_CHAIN } from './empty-fold';
import type { ChainFold, SessionFold } from './fold-types';
import { tokensAt } from './state';
import { isNever } from './thresholds';

interface CompactionPoint {
  tokens: number;
  /** The client continued past the point without a compaction, so the point is no boundary. */
  passed: boolean;
  source: 'client' | 'learned' | 'rule';
}

/** What a session showed about its client's compaction point, tokens. */
export interface CompactionOutcome {
  /** Lowest automatic compaction. */
  compactedAt: number | null;
  /** Size at or past the rule's point after which the session continued without a compaction. */
  passed: number | null;
}

/** A client adds the results of the last call before it compacts, so it compacts above the point. */
const OVERSHOOT_TOKENS = 30_000;

/**
 * The client's compaction point: stated, else observed, else from a known client's rule. A compaction slightly above
 * the rule's point confirms the rule, and a further call past it refutes the rule. A cumulative session uses only a
 * stated point. Until this session compacts or passes the point, other sessions decide.
 */
export function compactionPoint(
  state: Readonly<SessionFold>,
  chain: Readonly<ChainFold>,
  peers: readonly CompactionOutcome[],
): CompactionPoint | null {
  if (state.compactsAt !== null) return { tokens: state.compactsAt, source: 'client', passed: false };
  if (state.lens === 'cumulative') return null;
  const rule = ruleOf(state, chain);
  const passed = rule !== null && chain.passed >= rule.tokens;
  if (chain.compactedAt.length === 0)
    return rule && passed ? { ...rule, passed } : pointOfPeers(rule, hasCeiling(state), peers);
  const learned = Math.min(...chain.compactedAt);
  const fitsRule = rule !== null && !passed && isNear(rule, learned);
  return fitsRule ? rule : { tokens: learned, source: 'learned', passed: false };
}

/**
 * The rule's point. If more peers passed it than confirm it, the median compaction of those that passed.
 * @param isCeiling whether the client compacts below the rule's point; the median of all other peers then replaces it
 */
function pointOfPeers(
  rule: CompactionPoint | null,
  isCeiling: boolean,
  peers: readonly CompactionOutcome[],
): CompactionPoint | null {
  if (rule === null) return middleOf(peers);
  const passed = peers.filter((peer) => (peer.passed ?? 0) >= rule.tokens);
  const others = peers.filter((peer) => !passed.includes(peer) && peer.compactedAt !== null);
  const confirming = isCeiling ? others : others.filter((peer) => isNear(rule, peer.compactedAt ?? 0));
  if (passed.length > confirming.length) return middleOf(passed);
  return (isCeiling ? middleOf(others) : null) ?? rule;
}

function middleOf(peers: readonly CompactionOutcome[]): CompactionPoint | null {
  const sorted = peers.flatMap(({ compactedAt }) => compactedAt ?? []).toSorted((a, b) => a - b);
  const tokens = sorted[Math.floor((sorted.length - 1) / 2)];
  return tokens === undefined ? null : { tokens, source: 'learned', passed: false };
}

function isNear(rule: CompactionPoint, tokens: number): boolean {
  return tokens >= rule.tokens && tokens <= rule.tokens + OVERSHOOT_TOKENS;
}

/** Evidence from the main chain of a session that other sessions use. */
export function compactionOutcome(state: Readonly<SessionFold>): CompactionOutcome {
  const chain = getOwn(state.chains, MAIN_CHAIN);
  if (chain === undefined || state.lens === 'cumulative') return { compactedAt: null, passed: null };
  const rule = ruleOf(state, chain);
  return {
    compactedAt: chain.compactedAt.length === 0 ? null : Math.min(...chain.compactedAt),
    passed: rule !== null && chain.passed >= rule.tokens ? chain.passed : null,
  };
}

function ruleOf(state: Readonly<SessionFold>, chain: Readonly<ChainFold>): CompactionPoint | null {
  const { tokens: limit, source } = chain.limit;
  if (source === 'assumed') return null;
  const client = clientNamed(state.client);
  const share = client?.compactionShare;
  const reserve = client?.compactionReserve?.(state.clientVersion) ?? null;
  if (share === undefined && reserve === null) return null;
  const tokens = Math.floor((limit ?? 0) * (share ?? 1)) - (reserve ?? 0);
  return tokens > 0 ? { tokens, source: 'rule', passed: false } : null;
}

function hasCeiling({ client }: Readonly<SessionFold>): boolean {
  return clientNamed(client)?.compactionShare !== undefined;
}

export type BoundaryAhead = Omit<NextBoundary, 'turns' | 'minutes'>;

/**
 * The nearest of compaction point, restart line and limit above the current size. If the session has passed all three:
 * the highest, marked as passed.
 * @param restartLine share of the limit at which something restarts this session; null: nothing restarts it
 */
export function nextBoundary(
  usedTokens: number | null,
  limitTokens: number | null,
  restartLine: number | null,
  compaction: CompactionPoint | null,
): BoundaryAhead | null {
  if (usedTokens === null) return null;
  const candidates: Pick<NextBoundary, 'kind' | 'at' | 'source'>[] = [];
  if (compaction !== null && !compaction.passed) {
    candidates.push({ kind: 'compaction', at: compaction.tokens, source: compaction.source });
  }
  const window = limitTokens ?? 0;
  if (window > 0 && restartLine !== null && !isNever(restartLine)) {
    candidates.push({ kind: 'restart', at: tokensAt(restartLine, window), source: 'runner' });
  }
  if (window > 0) candidates.push({ kind: 'limit', at: window, source: 'limit' });
  // Equal points keep the order above.
  const sorted = candidates.toSorted((a, b) => a.at - b.at);
  const next = sorted.find((candidate) => candidate.at > usedTokens) ?? sorted.at(-1);
  if (next === undefined) return null;
  const left = Math.max(0, next.at - usedTokens);
  return { ...next, left, passed: left === 0 };
}

/** Null: no boundary is known, or all are passed. */
export function forecastOf(
  ahead: BoundaryAhead | null,
  record: Readonly<GrowthRecord>,
  lens: LensName,
): Forecast | null {
  if (ahead === null || ahead.passed) return null;
  const { kind, at, left } = ahead;
  return { kind, at, ...countDown(record, left, at, lens) };
}

export function tokensUntilEnd(session: Pick<Session, 'used' | 'limit' | 'compactsAt'>): number | null {
  const { used } = session;
  const end = session.compactsAt ?? session.limit;
  return used === null || end === null ? null : Math.max(0, end - used);
}
