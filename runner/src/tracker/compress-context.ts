import type { ContextEntry } from './context-contents';

/**
 * Messages that a vendor takes only together: a tool call with its results, a reasoning item with what it led
 * to. OpenAI and Anthropic answer 400 to a conversation with one but not the other.
 *
 * @returns for each message the index of its group's first message, in the order of `entries`.
 */
export function groupMessages(entries: readonly ContextEntry[]): number[] {
  const parents = entries.map((_, index) => index);
  /** The latest call of each id: some servers restart their ids with each answer. */
  const callers = new Map<string, number>();
  /** The last message with calls without ids, until another speaker follows. */
  let unnamedCaller: number | null = null;
  let leader: number | null = null;

  for (const [index, { traits }] of entries.entries()) {
    if (traits.leadsOn) leader = index;
    else if (leader !== null && traits.role === 'assistant') join(parents, leader, index);
    else leader = null;

    for (const id of traits.answers) {
      const caller = callers.get(id);
      if (caller !== undefined) join(parents, caller, index);
    }
    if (traits.answersUnnamed && unnamedCaller !== null) join(parents, unnamedCaller, index);
    if (traits.callsUnnamed) unnamedCaller = index;
    else if (traits.role !== 'tool') unnamedCaller = null;
    for (const id of traits.calls) callers.set(id, index);
  }
  return parents.map((_, index) => rootOf(parents, index));
}

/** The smaller index becomes the root, so a group is named after its oldest message. */
function join(parents: number[], a: number, b: number): void {
  const first = rootOf(parents, a);
  const second = rootOf(parents, b);
  parents[Math.max(first, second)] = Math.min(first, second);
}

function rootOf(parents: number[], index: number): number {
  let root = index;
  for (let parent = parents[root]; parent !== undefined && parent !== root; parent = parents[root])
    root = parent;
  // Shortens the way for the next one.
  parents[index] = root;
  return root;
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
