/** A composition prepared for drawing: shares, sentences, and whether its context is open. */
import type { ChainComposition } from '@/core/api/composition';
import type { Session } from '@/core/api/session';
import type { SessionEvent } from '@/core/events/event';
import { formatCount, formatExact } from '../../format/format-tokens';

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
  /** What happened to the context since: it is a record then, and no advice. */
  since: 'ended' | 'compressed' | null;
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

/** @param session a sub-agent's context counts as open */
export function prepareAdvice(
  composition: ChainComposition,
  session: Pick<Session, 'contextCount'>,
  events: readonly SessionEvent[],
): Advice {
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
    since: sinceOf(composition, session, events),
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

function sinceOf(
  { chain, context, turn }: ChainComposition,
  { contextCount }: Pick<Session, 'contextCount'>,
  events: readonly SessionEvent[],
): Advice['since'] {
  if (chain === 'main' && context < contextCount - 1) return 'ended';
  const isCompressed = events.some(
    (event) =>
      event.kind === 'context_compressed' &&
      event.chain === chain &&
      event.context === context &&
      event.turn >= turn,
  );
  return isCompressed ? 'compressed' : null;
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
