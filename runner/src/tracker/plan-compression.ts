import type { ContextEntry } from './context-entry';
import { groupMessages } from './group-messages';

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
  const names = toolPairs === 'together' ? groupMessages(entries) : [];
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
