/** Finds which messages a compression would remove, and what a context consists of. Pure functions. */
import { cutPoints } from '../../../core/protocol/code-points';
import { PROTOCOL_LIMITS } from '../../../core/protocol/limits';
import type { ContextComposition } from '../client/client-types';
import { groupMessages, type MessageTraits } from './read-message';

/** One message in the context. Its traits are read once, so later changes of the message have no effect. */
export interface ContextEntry<M extends object = object> {
  readonly message: M;
  readonly tokens: number;
  /** Whether `tokens` is an estimate. */
  readonly estimated: boolean;
  readonly traits: MessageTraits;
}

/** `together`: a tool call and its results are removed together. `apart`: message by message. */
export type ToolPairs = 'together' | 'apart';

export interface CompressionPlan {
  /** Positions of the messages to remove. */
  removed: ReadonlySet<number>;
  tokensRemoved: number;
}

/**
 * Plans which messages to remove so that at most `targetTokens` stay. The oldest messages go first; system messages and
 * at least one message stay.
 * @param keepsNewest whether the plan also keeps the newest message and its group.
 */
export function planCompression(
  entries: readonly ContextEntry[],
  targetTokens: number,
  toolPairs: ToolPairs,
  keepsNewest = false,
): CompressionPlan {
  const removed = new Set<number>();
  const before = sumTokens(entries);
  let tokens = before;
  for (const group of removableGroups(entries, toolPairs)) {
    if (tokens <= targetTokens) break;
    if (removed.size + group.length >= entries.length) continue;
    if (keepsNewest && group.includes(entries.length - 1)) continue;
    for (const index of group) {
      removed.add(index);
      tokens -= entries[index]?.tokens ?? 0;
    }
  }
  return { removed, tokensRemoved: before - tokens };
}

/** Groups of messages that can be removed, ordered by their oldest message. */
function removableGroups(entries: readonly ContextEntry[], toolPairs: ToolPairs): Iterable<number[]> {
  const names = toolPairs === 'together' ? groupMessages(entries.map(({ traits }) => traits)) : [];
  const groups = new Map<number, number[]>();
  for (const [index, { traits }] of entries.entries()) {
    if (traits.role === 'system') continue;
    const name = names[index] ?? index;
    groups.set(name, [...(groups.get(name) ?? []), index]);
  }
  return groups.values();
}

/** How much the conversation loses. */
export type CompressionImpact = 'low' | 'medium' | 'high';

/** What could be removed from a context, and what that would save (tokens). */
export interface CompressionSuggestion {
  /** What to do. */
  kind: 'remove_old_user_messages' | 'summarize_assistant_messages';
  /** A sentence for people. */
  description: string;
  /** Number of messages. */
  messages: number;
  /** Tokens that the removal or summary saves, estimated. */
  tokensSaved: number;
  /** How much the agent would lose. */
  impact: CompressionImpact;
}

/** With more user messages than this, older ones can be removed. */
const USER_MESSAGES_BEFORE_ADVICE = 10;
const USER_MESSAGES_KEPT = 5;

/** Suggests how to save tokens, the lowest impact first. Without a limit, assistant messages are never too large. */
export function suggestCompression(entries: readonly ContextEntry[], limit: number): CompressionSuggestion[] {
  const suggestions: CompressionSuggestion[] = [];
  const ofRole = (role: string) => entries.filter(({ traits }) => traits.role === role);
  const user = ofRole('user');
  if (user.length > USER_MESSAGES_BEFORE_ADVICE) {
    const old = user.slice(0, -USER_MESSAGES_KEPT);
    suggestions.push({
      kind: 'remove_old_user_messages',
      description: `Remove ${old.length} oldest user messages`,
      messages: old.length,
      tokensSaved: sumTokens(old),
      impact: 'low',
    });
  }
  const assistant = ofRole('assistant');
  const assistantTokens = sumTokens(assistant);
  if (assistantTokens > Math.floor(limit / 3)) {
    suggestions.push({
      kind: 'summarize_assistant_messages',
      description: 'Summarize assistant responses',
      messages: assistant.length,
      tokensSaved: Math.floor(assistantTokens / 2),
      impact: 'medium',
    });
  }
  return suggestions;
}

/** Maximum number of roles in an item of the protocol. */
const MAX_ROLES = 16;

/**
 * What a context consists of, as a turn reports it: counts without text.
 * The plan is the compression to `target`, a share of the limit.
 */
export function composeContext(
  entries: readonly ContextEntry[],
  limit: number,
  target: number,
  { removed, tokensRemoved, tokens }: CompressionPlan & { tokens: number },
): ContextComposition {
  const tokensLeft = Math.max(0, tokens - tokensRemoved);
  return {
    roles: countRoles(entries),
    suggestions: suggestCompression(entries, limit).map(({ description: _, ...counts }) => counts),
    compression: { target, messagesRemoved: removed.size, tokensRemoved, tokensLeft },
  };
}

/** One entry per role, in the order of their first messages. Roles beyond the maximum are added up as `other`. */
function countRoles(entries: readonly ContextEntry[]): ContextComposition['roles'] {
  const roles = new Map<string, ContextComposition['roles'][number]>();
  for (const { traits, tokens } of entries) {
    // The protocol would refuse the whole turn for an invalid role.
    const name = cutPoints(traits.role, PROTOCOL_LIMITS.maxLabelLength).replace(/[\0\p{Cs}]/gu, '\ufffd');
    const role = roles.has(name) || roles.size < MAX_ROLES - 1 ? name : 'other';
    const count = roles.get(role) ?? { role, messages: 0, tokens: 0 };
    count.messages += 1;
    count.tokens += tokens;
    roles.set(role, count);
  }
  return [...roles.values()];
}

function sumTokens(entries: readonly ContextEntry[]): number {
  return entries.reduce((sum, { tokens }) => sum + tokens, 0);
}
