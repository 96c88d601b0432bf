import { setImmediate as others } from 'node:timers/promises';

/** As long as nobody notices who waits for this process: a turn to be acknowledged, a page. */
const SLICE_MS = 8;

/**
 * `map` for many rows at once, with everybody else's work in between: the rows of a large fleet take a second, which
 * in one piece would be a second without an answer for whoever else is there.
 */
export async function mapInSlices<Row, Value>(
  rows: readonly Row[],
  map: (row: Row) => Value,
): Promise<Value[]> {
  const values: Value[] = [];
  let until = performance.now() + SLICE_MS;
  for (const row of rows) {
    if (performance.now() >= until) {
      await others();
      until = performance.now() + SLICE_MS;
    }
    values.push(map(row));
  }
  return values;
}
