/**
 * Parts of a batch that have no session and no stream in common: they can be recorded side by side, in transactions
 * of their own, and the server computes one while Postgres works on another.
 */
import type { Arrival } from './arrivals';

/** Below so many items a part costs more than it saves. */
const MIN_ITEMS = 250;
const MAX_LANES = 3;

/**
 * The arrivals in up to three parts of about the same size; each keeps the order of arrival.
 *
 * @param targetOf the session that items of this name go to, by any name or number of its own
 */
export function splitLanes(
  arrivals: readonly Arrival[],
  targetOf: (sessionName: string) => string | number,
): Arrival[][] {
  const wanted = Math.min(MAX_LANES, Math.floor(arrivals.length / MIN_ITEMS));
  if (wanted < 2) return [[...arrivals]];
  const groups = groupConnected(arrivals, targetOf).sort((a, b) => b.length - a.length);
  const lanes: Arrival[][] = Array.from({ length: Math.min(wanted, groups.length) }, () => []);
  for (const group of groups) {
    const smallest = lanes.reduce((least, lane) => (lane.length < least.length ? lane : least));
    for (const arrival of group) smallest.push(arrival);
  }
  return lanes;
}

/** Arrivals that share a session or a stream, however many steps apart, are one group. */
function groupConnected(
  arrivals: readonly Arrival[],
  targetOf: (sessionName: string) => string | number,
): Arrival[][] {
  const parents = new Map<string, string>();
  const find = (name: string): string => {
    let root = name;
    for (let next = parents.get(root); next !== undefined && next !== root; next = parents.get(root))
      root = next;
    parents.set(name, root);
    return root;
  };
  for (const { stream, sessionName } of arrivals) {
    const ofStream = find(`stream ${stream.streamId}`);
    const ofSession = find(`session ${targetOf(sessionName)}`);
    if (ofStream !== ofSession) parents.set(ofSession, ofStream);
  }
  const groups = new Map<string, Arrival[]>();
  for (const arrival of arrivals) {
    const root = find(`stream ${arrival.stream.streamId}`);
    const group = groups.get(root);
    if (group) group.push(arrival);
    else groups.set(root, [arrival]);
  }
  return [...groups.values()];
}
