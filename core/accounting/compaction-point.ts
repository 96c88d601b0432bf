import type { ChainFold, SessionFold } from './fold-types';

export interface CompactionPoint {
  /** Occupancy at which the client compacts by itself, tokens. */
  tokens: number;
  source: 'client' | 'learned' | 'rule';
}

/** Distance between window and automatic compaction in Claude Code, by version; measured on its transcripts. */
const CLAUDE_CODE_RESERVE_TOKENS = 33_000;
const CLAUDE_CODE_RESERVE_UP_TO_2_1_20 = 45_000;

/** By how much automatic compactions were seen to overshoot their point: results that came with the last call. */
const OVERSHOOT_TOKENS = 30_000;

/**
 * Where the client compacts by itself: as it states; else the lowest occupancy at which it did so here; else
 * the rule of a client that is known. A compaction always overshoots its point a little, so one that fits the
 * rule confirms it. Occupancies are the snapshot lens's matter: to a cumulative session only a stated point
 * applies.
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
  const reserve = reserveOf(state.client, state.clientVersion);
  if (reserve === null) return null;
  const tokens = (limit ?? 0) - reserve;
  return tokens > 0 ? { tokens, source: 'rule' } : null;
}

/** Tokens a known client keeps free; null: unknown client, or a version whose rule was not seen. */
function reserveOf(client: string | null, version: string | null): number | null {
  if (!/^claude[-_ ]?code\b/i.test(String(client))) return null;
  if (version === null) return CLAUDE_CODE_RESERVE_TOKENS;
  const parts = /^(\d+)\.(\d+)\.(\d+)/.exec(version);
  if (parts === null) return null;
  const [major = 0, minor = 0, patch = 0] = parts.slice(1).map(Number);
  const rank = major * 1e8 + minor * 1e4 + patch;
  if (rank >= 2_0001_0025) return CLAUDE_CODE_RESERVE_TOKENS;
  return rank <= 2_0001_0020 ? CLAUDE_CODE_RESERVE_UP_TO_2_1_20 : null;
}
