/**
 * Several parts of the library may see one call: a wrapper of an SDK, the loop that counts messages, and a tracker. They
 * share the calls that they report to a session, so that each call counts once. The id of a call identifies it. A
 * report without an id is the call, or the sum of the newest calls, that another part reported with equal usage. A report
 * with only the size of the context is the call with this size. If the size is an estimate, it is the newest call, or
 * the next one if the other parts have no new call.
 */
import { randomUUID } from 'node:crypto';
import type { TurnFields as Turn } from '../client/client-types';

type Counts = NonNullable<Turn['usage']>;
/** Parts of one kind report different calls, unless they name the same id. */
type Part = 'loop' | 'tracker' | 'wrapper';

interface SharedCall {
  turn: Turn;
  parts: Set<Part>;
  /** Whether the only report until now is a tracker's estimate. */
  isEstimate: boolean;
}

const MAX_CALLS = 100;
const COUNTS = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheCreationTokens'] as const;
const SESSIONS = new WeakMap<object, SharedCall[]>();

/** Creates a function that returns what a part must report of a turn; null: the session has it already. */
export function shareCalls(session: object | undefined, part: Part): (turn: Turn) => Turn | null {
  const calls = (session && SESSIONS.get(session)) ?? [];
  if (session !== undefined) SESSIONS.set(session, calls);
  return (turn) => {
    const same = findCalls(calls, turn, part);
    const found = same.at(-1);
    if (found === undefined) {
      const isEstimate = isBare(turn);
      // With an id, the other parts can complete the turn.
      const own = isEstimate && session !== undefined ? { ...turn, call: randomUUID() } : turn;
      calls.push({ turn: own, parts: new Set([part]), isEstimate });
      if (calls.length > MAX_CALLS) calls.shift();
      return own;
    }
    const isOwn = found.turn.call !== undefined && found.parts.has(part);
    for (const call of same) call.parts.add(part);
    const merged = isOwn ? turn : mergeTurns(found.turn, turn);
    if (found.isEstimate && merged !== null) {
      found.isEstimate = false;
      merged.call = [...idsOf(found.turn), ...idsOf(turn)];
    }
    // The session cannot add to a turn without an id.
    if (merged === null || found.turn.call === undefined) return null;
    found.turn = merged;
    return merged;
  };
}

/** The call of a turn, or the newest calls that together have the usage of the turn. */
function findCalls(calls: readonly SharedCall[], turn: Turn, part: Part): SharedCall[] {
  const rivals = calls.filter((call) => chainOf(call.turn) === chainOf(turn));
  const ids = idsOf(turn);
  const named = rivals.find((call) => idsOf(call.turn).some((id) => ids.includes(id)));
  if (named !== undefined) return [named];
  const open = rivals.filter(
    (call) => !call.parts.has(part) && (ids.length === 0 || call.turn.call === undefined),
  );
  if (isBare(turn)) return open.slice(-1);
  const last = rivals.at(-1);
  if (last?.isEstimate && !last.parts.has(part)) return [last];
  const equal = open.find((call) => isEqual(call.turn.usage, turn.usage) || isSameSize(call.turn, turn));
  return equal === undefined ? findSum(open, turn) : [equal];
}

function findSum(open: SharedCall[], { usage }: Turn): SharedCall[] {
  const sum: Record<string, number> = {};
  for (let at = open.length - 1; at >= 0; at -= 1) {
    for (const name of COUNTS) sum[name] = (sum[name] ?? 0) + (open[at]?.turn.usage?.[name] ?? 0);
    if (isEqual(sum, usage)) return open.slice(at);
  }
  return [];
}

/** The known turn, completed with figures of the new turn; null if nothing changes. */
function mergeTurns(known: Turn, turn: Turn): Turn | null {
  const merged: Turn = { ...turn, ...known, ...(turn.composition && { composition: turn.composition }) };
  if (turn.usage && !known.usage) merged.usage = turn.usage;
  else if (
    (turn.usage?.outputTokens ?? 0) > (known.usage?.outputTokens ?? 0) &&
    isSamePrompt(known.usage, turn.usage)
  ) {
    merged.usage = { ...known.usage, outputTokens: turn.usage?.outputTokens };
  }
  if (known.basis === 'estimate' && turn.contextTokens !== undefined && turn.basis !== 'estimate') {
    const { contextTokens, basis = 'total' } = turn;
    Object.assign(merged, { contextTokens, basis });
  }
  return JSON.stringify({ ...known, ...merged }) === JSON.stringify(known) ? null : merged;
}

/** Whether a tracker reports a turn and knows neither usage nor id. */
const isBare = (turn: Turn): boolean => idsOf(turn).length === 0 && !turn.usage && turn.basis === 'estimate';
const chainOf = ({ chain = 'main', scope = 'main' }: Turn): string => `${scope} ${chain}`;
const idsOf = ({ call = [] }: Turn): readonly string[] => (typeof call === 'string' ? [call] : call);

/** Whether both usages have input and output, and all counts that both have are equal. Zero usages never match. */
function isEqual(a: Counts | null | undefined, b: Counts | null | undefined): boolean {
  return (
    isSamePrompt(a, b) &&
    a?.outputTokens === b?.outputTokens &&
    (a?.inputTokens ?? 0) + (a?.outputTokens ?? 0) > 0
  );
}

/** Whether a turn without usage states the size of the known call. Some servers repeat ids, so the id is no proof. */
function isSameSize(known: Turn, { usage, contextTokens }: Turn): boolean {
  return !usage && contextTokens !== undefined && known.contextTokens === contextTokens;
}

function isSamePrompt(a: Counts | null | undefined, b: Counts | null | undefined): boolean {
  if (!a || !b || a.inputTokens === undefined || b.inputTokens === undefined) return false;
  const isSame = (x: number | undefined, y: number | undefined) =>
    x === undefined || y === undefined || x === y;
  return COUNTS.every((name) => name === 'outputTokens' || isSame(a[name], b[name]));
}
