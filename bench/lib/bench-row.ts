/** One line of the result: a measurement and its goal. */
export interface BenchRow {
  name: string;
  /** The figure itself, as in `0.18` or `274 bytes`. */
  value: string;
  /** What it has to be, as in `≥ 0.15`. */
  goal: string;
  reached: boolean;
  /** The figures behind it. */
  detail: string;
}

export function formatRows(rows: readonly BenchRow[]): string {
  const width = (pick: (row: BenchRow) => string) => Math.max(...rows.map((row) => pick(row).length));
  const names = width(({ name }) => name);
  const values = width(({ value }) => value);
  const goals = width(({ goal }) => goal);
  return rows
    .map(({ name, value, goal, reached, detail }) =>
      [
        name.padEnd(names),
        value.padStart(values),
        `goal ${goal.padEnd(goals)}`,
        reached ? 'reached' : 'MISSED ',
        detail,
      ].join('  '),
    )
    .join('\n');
}
