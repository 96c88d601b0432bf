/** What a composition says, ready to be drawn: shares, sentences, and whether its context is still the open one. */
import type { ChainComposition } from '@/core/api/composition';
import type { Session } from '@/core/api/session';
import { formatCount, formatExact } from '../format/format-tokens';

export interface RoleRow {
  /** Its place and name: a runner may name a role twice. */
  id: string;
  /** The role as the runner calls it. */
  name: string;
  messages: number;
  tokens: number;
  /** Part of all tokens, 0 to 1; 0 where there are none. */
  share: number;
}

export type Impact = ChainComposition['suggestions'][number]['impact'];

export interface SuggestionRow {
  id: string;
  /** What to do, in words. */
  text: string;
  tokensSaved: number;
  /** Part of all tokens; null where there are none. */
  share: number | null;
  impact: Impact;
}

export interface Advice {
  roles: RoleRow[];
  messages: number;
  tokens: number;
  /** Its context has ended: it is a record and no advice. */
  isPast: boolean;
  suggestions: SuggestionRow[];
  compression: {
    targetPercent: number;
    messagesRemoved: number;
    tokensRemoved: number;
    tokensLeft: number;
    /** Nothing has to go: the context is below the target already. */
    isBelow: boolean;
  } | null;
}

/** @param session the session as it stands now; a sub-agent's context is taken for the open one. */
export function prepareAdvice(composition: ChainComposition, session: Pick<Session, 'contextCount'>): Advice {
  const tokens = sum(composition.roles.map((role) => role.tokens));
  const { compression } = composition;
  return {
    roles: composition.roles.map(({ role, messages, tokens: ofRole }, index) => ({
      id: `${index} ${role}`,
      name: role,
      messages,
      tokens: ofRole,
      share: tokens === 0 ? 0 : ofRole / tokens,
    })),
    messages: sum(composition.roles.map((role) => role.messages)),
    tokens,
    isPast: composition.chain === 'main' && composition.context < session.contextCount - 1,
    suggestions: composition.suggestions.map((suggestion, index) => ({
      id: `${index} ${suggestion.kind}`,
      text: sentenceOf(suggestion),
      tokensSaved: suggestion.tokensSaved,
      share: tokens === 0 ? null : suggestion.tokensSaved / tokens,
      impact: suggestion.impact,
    })),
    compression: compression && { ...compression, isBelow: compression.messagesRemoved === 0 },
  };
}

function sentenceOf({ kind, messages }: ChainComposition['suggestions'][number]): string {
  switch (kind) {
    case 'remove_old_user_messages':
      return messages === 1
        ? 'Remove the oldest user message'
        : `Remove the ${formatExact(messages)} oldest user messages`;
    case 'summarize_assistant_messages':
      return `Summarise ${formatCount(messages, 'assistant message')}`;
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
