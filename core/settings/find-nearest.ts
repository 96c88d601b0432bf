/** The candidate with the fewest edits, the first of several. Empty without candidates. */
export function findNearest(name: string, candidates: readonly string[]): string {
  let nearest = '';
  let fewest = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const edits = countEdits(name, candidate);
    if (edits < fewest) {
      fewest = edits;
      nearest = candidate;
    }
  }
  return nearest;
}

/** The nearest candidate with at most two edits per five letters, else null. */
export function findNear(name: string, candidates: readonly string[]): string | null {
  const nearest = findNearest(name, candidates);
  return countEdits(name, nearest) <= 0.4 * Math.max(name.length, nearest.length) ? nearest : null;
}

/** Number of letters to insert, remove or replace to turn one name into the other. */
export function countEdits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
