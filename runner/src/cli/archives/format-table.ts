const GAP = '  ';
const CUT = '…';
/** Cells of text that other programs wrote: nothing in them may move the cursor or end the line. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

export interface TableLayout {
  /** Names of columns of numbers. */
  toRight?: readonly string[];
  /** Characters a line may have; absent: as many as it takes. */
  width?: number;
  /** Columns that give way where lines are too long, how many characters they keep, and which end of a text matters. */
  flexible?: Readonly<Record<string, { least: number; keep: 'start' | 'end' }>>;
}

/** Rows in columns as wide as their widest cell, or as the line has room for; the last one as it comes. */
export function formatTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  { toRight = [], width = Number.POSITIVE_INFINITY, flexible = {} }: TableLayout = {},
): string[] {
  const clean = [head, ...rows].map((row) => row.map((cell) => [...cell.replaceAll(UNPRINTABLE, '\ufffd')]));
  const widths = head.map((_, column) => Math.max(...clean.map((row) => row[column]?.length ?? 0)));
  let over = widths.reduce((sum, each) => sum + each, GAP.length * (head.length - 1)) - width;
  while (over > 0) {
    // The widest of those that can gives way first.
    const [widest] = head
      .map((name, column) => ({ column, spare: (widths[column] ?? 0) - (flexible[name]?.least ?? Infinity) }))
      .filter(({ spare }) => spare > 0)
      .sort((a, b) => (widths[b.column] ?? 0) - (widths[a.column] ?? 0));
    if (widest === undefined) break;
    widths[widest.column] = (widths[widest.column] ?? 0) - 1;
    over -= 1;
  }
  return clean.map((row) =>
    row
      .map((characters, column) => {
        const room = widths[column] ?? 0;
        const cell = cut(characters, room, flexible[head[column] ?? '']?.keep ?? 'start');
        const fill = ' '.repeat(Math.max(0, room - [...cell].length));
        if (toRight.includes(head[column] ?? '')) return fill + cell;
        return column === row.length - 1 ? cell : cell + fill;
      })
      .join(GAP)
      .trimEnd(),
  );
}

function cut(characters: readonly string[], room: number, keep: 'start' | 'end'): string {
  if (characters.length <= room) return characters.join('');
  const kept = room - CUT.length;
  if (keep === 'end') return CUT + characters.slice(characters.length - kept).join('');
  return characters.slice(0, kept).join('') + CUT;
}
