import type { Item } from '../protocol/items';
import type { SourceName } from '../protocol/messages';

/** An item before it has a time and a place in a stream. */
export type ScenarioItem = Item extends infer T ? (T extends Item ? Omit<T, 'seq' | 'at'> : never) : never;

/** One item at its time. */
export interface ScenarioStep {
  /**
   * Milliseconds from the scenario's beginning ("now" when it is played); negative: history before it. Never
   * less than the step's before it.
   */
  afterMs: number;
  /** Its stream: steps of one stream share runner, project and source. */
  stream: string;
  runner: { name: string; host: string; version: string };
  project: string;
  source: SourceName;
  item: ScenarioItem;
}

export interface ScenarioOptions {
  /** Seed of the random numbers. */
  seed?: number;
  /** Minutes of history before the start; 0: none. */
  historyMinutes?: number;
  /** Minutes after the start. */
  minutes?: number;
  /** Part of every session key, so that runs on one server are separate sessions. */
  run?: string;
}

/** A named scenario. The same name, seed and options give identical steps. */
export interface Scenario {
  name: string;
  seed: number;
  /** A new pass over the steps in order of time, generated on demand. */
  items(): Iterable<ScenarioStep>;
}
