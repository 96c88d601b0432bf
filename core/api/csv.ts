/** Tables of comma-separated values, as RFC 4180 has them and spreadsheets open them. */

export type CsvCell = string | number | null;

/** What a spreadsheet would take for a formula, though it is somebody's name. */
const FORMULA = /^[=+\-@\t\r]/;
const NEEDS_QUOTES = /[",\r\n]/;

/** A table with a head; null is an empty cell. */
export function toCsv(head: readonly string[], rows: Iterable<readonly CsvCell[]>): string {
  let text = toCsvLine(head);
  for (const row of rows) text += toCsvLine(row);
  return text;
}

/** One line with its end, for tables too long to be held at once. */
export function toCsvLine(row: readonly CsvCell[]): string {
  return `${row.map(toCell).join(',')}\r\n`;
}

function toCell(value: CsvCell): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
