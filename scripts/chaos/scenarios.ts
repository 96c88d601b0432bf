/** Runs the faults of `npm run chaos`. Each issues turns under the fault, delivers the rest, and compares every row. */
import { createRandom } from '../../core/scenario/random';
import rows from './faults.json';
import { type Cluster, openCluster, openPlace } from './place';
import { backupFaults } from './scenarios-backup';
import { crowdFaults } from './scenarios-crowd';
import { processFaults } from './scenarios-process';
import { runnerFaults } from './scenarios-runner';
import { scaleFaults } from './scenarios-scale';
import { timeFaults } from './scenarios-time';
import { traceFaults } from './scenarios-trace';
import { type Fault, newOutcome, type Outcome } from './under-load';
import { CannotRunError } from './until';

/** `short` and `full`: times, runners, turns a second, turns. Without `short`: the fault is only in the long form. */
interface Scenario {
  name: string;
  fault: string;
  short: number[] | null;
  full: number[];
  /** PostgreSQL is on a small file system of its own. */
  diskMegabytes?: number;
  /** PostgreSQL serves this fault only. */
  isAlone?: boolean;
}

export type Tier = 'short' | 'full';

/** Most faults wait most of the time. */
const LANES = 3;
export const scenarios: readonly Scenario[] = rows;
const faults: Readonly<Record<string, Fault>> = {
  ...processFaults,
  ...runnerFaults,
  ...crowdFaults,
  ...backupFaults,
  ...scaleFaults,
  ...timeFaults,
  ...traceFaults,
};

/**
 * Run the faults in lanes, each with its own PostgreSQL. The same seed causes the same faults and turns.
 * @returns the outcomes in the order of the table
 */
export async function runScenarios(
  tier: Tier,
  seed: number,
  only: readonly string[],
  onEnd: (scenario: Scenario, outcome: Outcome, seconds: number) => void,
): Promise<{ scenario: Scenario; outcome: Outcome }[]> {
  const chosen = scenarios.filter(
    ({ name, [tier]: scale }) => scale && (only.length === 0 || only.includes(name)),
  );
  const outcomes = new Map<Scenario, Outcome>();
  const waiting = [...chosen];
  const lane = async (): Promise<void> => {
    let shared: Cluster | null = null;
    for (let scenario = waiting.shift(); scenario; scenario = waiting.shift()) {
      const startedAt = performance.now();
      const isOwn = scenario.diskMegabytes !== undefined || scenario.isAlone === true;
      let cluster: Cluster | null = isOwn ? null : shared;
      let outcome: Outcome;
      try {
        cluster ??= await openCluster(scenario.diskMegabytes);
        outcome = await runScenario(cluster, scenario, tier, seed + scenarios.indexOf(scenario));
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        const isSkipped = error instanceof CannotRunError;
        outcome = { ...newOutcome(0), ...(isSkipped ? { note: reason, isSkipped } : { problems: [reason] }) };
      }
      // A failed fault may leave a damaged PostgreSQL.
      const isKept = !isOwn && outcome.problems.length === 0;
      if (!isKept) await cluster?.close();
      if (!isOwn) shared = isKept ? cluster : null;
      outcomes.set(scenario, outcome);
      onEnd(scenario, outcome, (performance.now() - startedAt) / 1_000);
    }
    await shared?.close();
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return chosen.flatMap((scenario) => {
    const outcome = outcomes.get(scenario);
    return outcome ? [{ scenario, outcome }] : [];
  });
}

async function runScenario(cluster: Cluster, scenario: Scenario, tier: Tier, seed: number): Promise<Outcome> {
  const { name, [tier]: scale } = scenario;
  const [times = 0, runners = 0, perSecond = 0, turns = 0] = scale ?? [];
  const fault = faults[name];
  if (!fault) throw new Error(`${name} has no code`);
  const place = await openPlace(cluster, name);
  try {
    return await fault(place, { times, runners, perSecond, turns }, createRandom(seed));
  } finally {
    await place.close();
  }
}
