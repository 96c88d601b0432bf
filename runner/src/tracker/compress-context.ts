import { groupMessages, type MessageTraits } from './read-message';

/** One message in the context. Its traits are read once, so later changes of the message have no effect. */
export interface ContextEntry<M extends object = object> {
  readonly message: M;
  readonly tokens: number;
  /** The count is an estimate. */
  readonly estimated: boolean;
  readonly traits: MessageTraits;
}

/** `together`: a tool call and its results leave at once. `apart`: message by message. */
export type ToolPairs = 'together' | 'apart';

export interface CompressionPlan {
  /** Positions of the messages to remove. */
  removed: ReadonlySet<number>;
  tokensRemoved: number;
}

/**
 * Which messages leave so that at most `targetTokens` stay: the oldest first, system messages never, and one
 * message stays whatever the target. No message leaves once the target is reached. Changes nothing.
 */
export function planCompression(
  entries: readonly ContextEntry[],
  targetTokens: number,
  toolPairs: ToolPairs,
): CompressionPlan {
  const removed = new Set<number>();
  let tokens = entries.reduce((sum, entry) => sum + entry.tokens, 0);
  const before = tokens;
  for (const group of removableGroups(entries, toolPairs)) {
    if (tokens <= targetTokens) break;
    if (removed.size + group.length >= entries.length) continue;
    for (const index of group) {
      removed.add(index);
      tokens -= entries[index]?.tokens ?? 0;
    }
  }
  return { removed, tokensRemoved: before - tokens };
}

/** What can leave, in the order in which it does: groups by their oldest message. */
function removableGroups(entries: readonly ContextEntry[], toolPairs: ToolPairs): Iterable<number[]> {
  const names = toolPairs === 'together' ? groupMessages(entries.map(({ traits }) => traits)) : [];
  const groups = new Map<number, number[]>();
  for (const [index, { traits }] of entries.entries()) {
    if (traits.role === 'system') continue;
    const name = names[index] ?? index;
    const group = groups.get(name);
    if (group) group.push(index);
    else groups.set(name, [index]);
  }
  return groups.values();
}

/** How much the conversation loses. */
export type CompressionImpact = 'low' | 'medium' | 'high';

/** What could be taken out of a context, and what that would save (tokens). */
export interface CompressionSuggestion {
  kind: 'remove_old_user_messages' | 'summarize_assistant_messages';
  /** A sentence for people. */
  description: string;
  /** Messages concerned. */
  messages: number;
  tokensSaved: number;
  impact: CompressionImpact;
}

/** More user messages than this make the older ones dispensable. */
const USER_MESSAGES_BEFORE_ADVICE = 10;
const USER_MESSAGES_KEPT = 5;

/** Messages that could be removed, the least harmful first. Without a limit no share of it is too large. */
export function suggestCompression(
  entries: readonly ContextEntry[],
  maxTokens: number,
): CompressionSuggestion[] {
  const suggestions: CompressionSuggestion[] = [];
  const user = entries.filter(({ traits }) => traits.role === 'user');
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

  const assistant = entries.filter(({ traits }) => traits.role === 'assistant');
  const assistantTokens = sumTokens(assistant);
  if (maxTokens > 0 && assistantTokens > Math.floor(maxTokens / 3)) {
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

export function sumTokens(entries: readonly ContextEntry[]): number {
  return entries.reduce((sum, { tokens }) => sum + tokens, 0);
}
