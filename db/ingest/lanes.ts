/** Lanes of a batch; below so many items each costs more than it saves. */
const MAX_LANES = 3;
const MIN_LANE_ITEMS = 250;

interface Sent {
  stream: { streamId: number };
  sessionName: string;
}

/** Parts of a large batch that share no session or stream: one is computed while Postgres works on another. */
export function splitLanes<A extends Sent>(
  arrivals: readonly A[],
  targetOf: (sessionName: string) => string | number,
): A[][] {
  const wanted = Math.min(MAX_LANES, Math.floor(arrivals.length / MIN_LANE_ITEMS));
  if (wanted < 2) return [[...arrivals]];
  const groups = groupConnected(arrivals, targetOf).sort((a, b) => b.length - a.length);
  const lanes: A[][] = Array.from({ length: Math.min(wanted, groups.length) }, () => []);
  for (const group of groups) {
    const smallest = lanes.reduce((least, lane) => (lane.length < least.length ? lane : least));
    for (const arrival of group) smallest.push(arrival);
  }
  return lanes;
}

/** Arrivals that share a session or a stream, however many steps apart, are one group. */
function groupConnected<A extends Sent>(
  arrivals: readonly A[],
  targetOf: (sessionName: string) => string | number,
): A[][] {
  const parents = new Map<string, string>();
  const find = (name: string): string => {
    const parent = parents.get(name);
    return parent === undefined ? name : find(parent);
  };
  for (const { stream, sessionName } of arrivals) {
    const ofStream = find(`stream ${stream.streamId}`);
    const ofSession = find(`session ${targetOf(sessionName)}`);
    if (ofStream !== ofSession) parents.set(ofSession, ofStream);
  }
  const groups = new Map<string, A[]>();
  for (const arrival of arrivals) {
    const root = find(`stream ${arrival.stream.streamId}`);
    const group = groups.get(root);
    if (group) group.push(arrival);
    else groups.set(root, [arrival]);
  }
  return [...groups.values()];
}
