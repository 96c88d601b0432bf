/** Index of the value nearest to `wanted` in ascending values, the lower of two that are as near; -1 without any. */
export function nearestIndex(values: readonly number[], wanted: number): number {
  let low = 0;
  let high = values.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((values[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  const after = values[low];
  const before = values[low - 1];
  if (after === undefined) return -1;
  return before !== undefined && wanted - before <= after - wanted ? low - 1 : low;
}
