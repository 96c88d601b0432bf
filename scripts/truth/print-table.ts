import type { Difference, MeasuredSession } from '../../core/agents/testing/measure-sessions';

export interface Comparison {
  session: string;
  /** Null: the session was not found. */
  measured: MeasuredSession | null;
  compared: number;
  differences: Difference[];
}

const HEAD = [
  'session',
  'calls',
  'side',
  'input',
  'output',
  'cache read',
  'cache creation',
  'peak',
  'last',
  'contexts',
  'compactions',
  'values',
  'result',
];

/** One row a session with what was measured, and below it each value that differs. */
export function formatTable(comparisons: readonly Comparison[]): string {
  const rows = comparisons.map(({ session, measured, compared, differences }) => {
    const name = session.replace(/^[^/]*\//, '').slice(0, 48);
    const result = differences.length === 0 ? 'equal' : `${differences.length} differ`;
    if (measured === null) return [name, ...Array<string>(10).fill(''), String(compared), 'not found'];
    const { main, side } = measured;
    const compactions = measured.compactions.map(
      ({ trigger, preTokens }) => `${trigger} ${preTokens ?? '?'}`,
    );
    return [
      name,
      main.calls,
      side.calls,
      main.input,
      main.output,
      main.cacheRead,
      main.cacheCreation,
      measured.peak ?? '–',
      measured.last ?? '–',
      measured.contexts.length,
      compactions.join(', ') || '–',
      compared,
      result,
    ].map(String);
  });
  const widths = HEAD.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, i) => (i === 0 || i >= 10 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
      .join('  ')
      .trimEnd();
  const body = comparisons.flatMap(({ differences }, i) => [
    line(rows[i] ?? []),
    ...differences.map(
      ({ field, expected, actual }) => `    ${field}: expected ${String(expected)}, found ${String(actual)}`,
    ),
  ]);
  return [line(HEAD), line(widths.map((width) => '-'.repeat(width))), ...body].join('\n');
}
