/** What is said of a context's composition. Pure. */
import type { ChainComposition } from '@/core/api/composition';
import type { Session } from '@/core/api/session';
import type { SessionEvent } from '@/core/events/event';
import { formatCount, formatExact } from '../../format/format-tokens';

export type Suggestion = ChainComposition['suggestions'][number];

/** Why the figures are a record and no advice; null: nothing happened since. A sub-agent's context counts as open. */
export function sentenceSince(
  { chain, context, turn }: ChainComposition,
  { contextCount }: Pick<Session, 'contextCount'>,
  events: readonly SessionEvent[],
): string | null {
  if (chain === 'main' && context < contextCount - 1) {
    return 'This context has ended. Showing its last figures.';
  }
  const isCompressed = events.some(
    (event) =>
      event.kind === 'context_compressed' &&
      event.chain === chain &&
      event.context === context &&
      event.turn >= turn,
  );
  return isCompressed ? 'Messages were taken out since: the figures are those before it.' : null;
}

export function suggestionWords({ kind, messages }: Suggestion): string {
  if (kind === 'summarize_assistant_messages')
    return `Summarise ${formatCount(messages, 'assistant message')}`;
  return messages === 1
    ? 'Remove the oldest user message'
    : `Remove the ${formatExact(messages)} oldest user messages`;
}
