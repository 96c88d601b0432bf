/** Pairs tool calls with their results by id. Only the first result of a call is paired. */
import type { Block, EntryKind } from '../agents/entry';

/** Per entry, the entry of the paired call or result. A list if the entry has several calls or results. */
export type PairColumn = (number | null | (number | null)[])[];

interface Place {
  entry: number;
  /** Index among the entry's tool blocks. */
  part: number;
}

export function createPairs(column: PairColumn) {
  const calls = new Map<string, Place>();
  /** Results that precede their call, because lines may be out of order. */
  const early = new Map<string, Place>();

  const isTaken = ({ entry, part }: Place): boolean => {
    const now = column[entry];
    return (Array.isArray(now) ? now[part] : now) != null;
  };
  const set = ({ entry, part }: Place, other: number): void => {
    const now = column[entry];
    if (Array.isArray(now)) now[part] = other;
    else column[entry] = other;
  };
  const join = (call: Place, result: Place): void => {
    if (isTaken(call) || isTaken(result)) return;
    set(call, result.entry);
    set(result, call.entry);
  };

  return {
    take(blocks: readonly Block[], entry: number): void {
      const tools = blocks.filter((block) => block.type === 'tool_call' || block.type === 'tool_result');
      column[entry] = tools.length > 1 ? tools.map(() => null) : null;
      for (const [part, tool] of tools.entries()) {
        if (!('callId' in tool) || tool.callId === null) continue;
        const place = { entry, part };
        if (tool.type === 'tool_call') {
          if (calls.has(tool.callId)) continue;
          calls.set(tool.callId, place);
          const result = early.get(tool.callId);
          if (result) join(place, result);
        } else {
          const call = calls.get(tool.callId);
          if (call) join(call, place);
          else if (!early.has(tool.callId)) early.set(tool.callId, place);
        }
      }
    },
    callOf: (entry: number) => first(column[entry]),
    findCall: (callId: string) => calls.get(callId)?.entry ?? null,
  };
}

function first(pair: PairColumn[number] | undefined): number | null {
  if (Array.isArray(pair)) return pair.find((other) => other !== null) ?? null;
  return pair ?? null;
}

/** The paired entry in the outline. Null if a result is unpaired, so that the page does not hide the entry. */
export function pairOfEntry(
  kind: EntryKind | undefined,
  pair: PairColumn[number] | undefined,
): number | null {
  if (kind === 'tool_result' && Array.isArray(pair) && pair.includes(null)) return null;
  return first(pair);
}
