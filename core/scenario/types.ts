import type { Item } from '../protocol/items';
import type { SourceName } from '../protocol/messages';

/** An item before it has a time and a place in a stream. */
export type ScenarioItem = Item extends infer T ? (T extends Item ? Omit<T, 'seq' | 'at'> : never) : never;

/** One report at its moment. */
export interface ScenarioStep {
  /**
   * Milliseconds from the scenario's beginning ("now" when it is played); negative: history before it. Never
   * less than the step's before it.
   */
  afterMs: number;
  /** Which queue it comes from: steps of one name share a stream, a runner, a project and a source. */
  stream: string;
  runner: { name: string; host: string; version: string };
  project: string;
  source: SourceName;
  item: ScenarioItem;
}

export interface ScenarioOptions {
  /** Another seed, another course of the same story. */
  seed?: number;
  /** How far the story reaches back before its beginning, minutes; 0: it begins with empty sheets. */
  historyMinutes?: number;
  /** How long it goes on after its beginning, minutes. */
  minutes?: number;
  /** Part of every session key: the same story told twice on one server makes other sessions. */
  run?: string;
}

/** A story with a name. The same name, seed and options give the same steps, to the last digit. */
export interface Scenario {
  name: string;
  seed: number;
  /** A fresh pass over the steps, in order of time; made as they are asked for. */
  items(): Iterable<ScenarioStep>;
}
