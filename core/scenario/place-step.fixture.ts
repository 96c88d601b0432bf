import type { Item } from '../protocol/items';
import type { ScenarioStep } from './types';

/**
 * The step's item with its seq and time.
 * @param beginningMs start of the scenario, milliseconds since the epoch; history is before it.
 */
export function placeStep(step: Readonly<ScenarioStep>, beginningMs: number, seq: number): Item {
  return { ...step.item, seq, at: beginningMs + step.afterMs };
}
