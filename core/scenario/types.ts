import type { Item } from '../protocol/items';
import type { SourceName } from '../protocol/messages';

/** An item that has no time and no seq yet. */
export type ScenarioItem = Item extends infer T ? (T extends Item ? Omit<T, 'seq' | 'at'> : never) : never;

export interface ScenarioStep {
  /** Milliseconds from the scenario's start, ascending. Negative: history before the start. */
  afterMs: number;
  /** Stream of the step. Steps of one stream share runner, project and source. */
  stream: string;
  runner: { name: string; host: string; version: string };
  project: string;
  source: SourceName;
  item: ScenarioItem;
}

export interface ScenarioOptions {
  seed?: number;
  /** Minutes of history before the start; 0: none. */
  historyMinutes?: number;
  minutes?: number;
  /** Part of every session key, so that two runs on one server have separate sessions. */
  run?: string;
  /** Project of all sessions; default: the scenario's own projects. */
  project?: string;
}

/** The same seed and options give identical steps. */
export interface Scenario {
  /** A new pass over the steps in order of time, generated on demand. */
  items(): Iterable<ScenarioStep>;
}
