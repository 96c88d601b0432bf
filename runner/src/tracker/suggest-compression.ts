import type { ContextEntry } from './context-entry';

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

/** What could be taken out, the least harmful first. Without a limit nobody can have too large a share of it. */
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
