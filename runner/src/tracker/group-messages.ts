import type { ContextEntry } from './context-entry';

/**
 * Messages that a vendor takes only together: a tool call with its results, a reasoning item with what it led
 * to. OpenAI and Anthropic answer 400 to a conversation where one stands without the other.
 *
 * @returns for each message the index of its group's first message, in the order of `entries`.
 */
export function groupMessages(entries: readonly ContextEntry[]): number[] {
  const parents = entries.map((_, index) => index);
  /** The latest call of each id: some servers begin their ids anew with each answer. */
  const callers = new Map<string, number>();
  /** The message whose calls have no ids, as long as nobody else spoke. */
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
