import { clientNamed } from '../agents/clients';
import type { ChainFold, SessionFold } from './fold-types';

export interface CompactionPoint {
  tokens: number;
  source: 'client' | 'learned' | 'rule';
}

/** By how much automatic compactions were seen to overshoot their point: results that came with the last call. */
const OVERSHOOT_TOKENS = 30_000;

/**
 * Where the client compacts by itself: as it states, else as seen here, else by a known client's rule. Compactions
 * overshoot their point, so one that fits the rule confirms it. A cumulative session has only a stated point.
 */
export function compactionPoint(
  state: Readonly<SessionFold>,
  chain: Readonly<ChainFold>,
): CompactionPoint | null {
  if (state.compactsAt !== null) return { tokens: state.compactsAt, source: 'client' };
  if (state.lens === 'cumulative') return null;
  const rule = ruleOf(state, chain);
  if (chain.compactedAt.length === 0) return rule;
  const learned = Math.min(...chain.compactedAt);
  const fitsRule = rule !== null && learned >= rule.tokens && learned <= rule.tokens + OVERSHOOT_TOKENS;
  return fitsRule ? rule : { tokens: learned, source: 'learned' };
}

function ruleOf(state: Readonly<SessionFold>, chain: Readonly<ChainFold>): CompactionPoint | null {
  const { tokens: limit, source } = chain.limit;
  // A learned limit is itself where a compaction or a reading was seen, not the window.
  if (source === 'learned' || source === 'assumed') return null;
  const reserve = clientNamed(state.client)?.compactionReserve?.(state.clientVersion) ?? null;
  if (reserve === null) return null;
  const tokens = (limit ?? 0) - reserve;
  return tokens > 0 ? { tokens, source: 'rule' } : null;
}
