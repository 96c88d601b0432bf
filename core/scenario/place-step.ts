import type { Item } from '../protocol/items';
import type { ScenarioStep } from './types';

/**
 * The step's item with its place in the stream and its time.
 * @param beginningMs when the scenario begins, milliseconds since the epoch; history lies before it.
 */
export function placeStep(step: Readonly<ScenarioStep>, beginningMs: number, seq: number): Item {
  return { ...step.item, seq, at: beginningMs + step.afterMs };
}
