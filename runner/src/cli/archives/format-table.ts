const GAP = '  ';
/** Cells of text that other programs wrote: nothing in them may move the cursor or end the line. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

/** Rows in columns as wide as their widest cell; the last one as it comes. @param toRight names of columns of numbers. */
export function formatTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  toRight: readonly string[] = [],
): string[] {
  const clean = [head, ...rows].map((row) => row.map((cell) => cell.replaceAll(UNPRINTABLE, '\ufffd')));
  const widths = head.map((_, column) => Math.max(...clean.map((row) => [...(row[column] ?? '')].length)));
  return clean.map((row) =>
    row
      .map((cell, column) => {
        const fill = ' '.repeat(Math.max(0, (widths[column] ?? 0) - [...cell].length));
        if (toRight.includes(head[column] ?? '')) return fill + cell;
        return column === row.length - 1 ? cell : cell + fill;
      })
      .join(GAP)
      .trimEnd(),
  );
}
