/** What a fault gets and returns, and the frame of most faults: load, fault, delivery, comparison. */
import type { Random } from '../../core/scenario/random';
import type { ServerProcess } from '../../e2e/wire/start-server-process';
import type { Comparison, Load } from './load';
import type { Place } from './place';
import { until } from './until';

export interface Scale {
  times: number;
  runners: number;
  /** Turns a second while faults happen. */
  perSecond: number;
  /** Issue turns until this many, after the last fault. */
  turns: number;
}

export interface Outcome extends Comparison {
  times: number;
  /** Measured figures, as in `drain 0.4 s`. */
  note: string;
  /** The fault cannot be caused on this machine; `note` has the reason. */
  isSkipped?: boolean;
  /** What did not hold, besides lost, doubled and wrong rows. */
  problems: string[];
}

export type Fault = (place: Place, scale: Scale, random: Random) => Promise<Outcome>;

export interface Situation extends Pick<Scale, 'times' | 'turns'> {
  place: Place;
  random: Random;
  /** The first of the servers. */
  server: ServerProcess;
  load: Load;
}

export function newOutcome(times: number): Outcome {
  return { times, turns: 0, lost: 0, doubled: 0, wrongSums: 0, note: '', problems: [] };
}

export function addTo(total: Outcome, found: Comparison): void {
  for (const name of ['turns', 'lost', 'doubled', 'wrongSums'] as const) total[name] += found[name];
}

/** Issue turns, cause the fault several times at random moments, and compare. */
export function underLoad(
  work: (situation: Situation) => Promise<Partial<Pick<Outcome, 'note' | 'problems'>>>,
  open: (place: Place) => Promise<ServerProcess[]> = async (place) => [await place.serve()],
  clockOf?: (runner: number) => number,
): Fault {
  return async (place, { times, runners, perSecond, turns }, random) => {
    const servers = await open(place);
    const [server] = servers;
    if (!server) throw new Error('no server was started');
    const load = place.load(servers, { runners, seed: random.int(1, 1e9), ...(clockOf && { clockOf }) });
    load.start(perSecond);
    const { note = '', problems = [] } = await work({ place, random, server, load, times, turns });
    await untilIssued(load, turns);
    await load.finish();
    const acknowledged = load.acknowledged;
    const compared = await load.compare(place.sql);
    if (acknowledged < compared.turns) problems.push(`only ${acknowledged} turns were acknowledged`);
    return { ...compared, times, note, problems };
  };
}

export const untilIssued = (load: Load, turns: number): Promise<void> =>
  until('the load', () => load.issued >= turns, 7_200_000);
