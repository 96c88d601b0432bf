/** A non-breaking space; `.num` makes it narrow. */
const UNIT_SPACE = '\u00a0';
const THOUSANDS = '\u202f';
const MINUS = '\u2212';

function group(digits: string): string {
  return digits.replace(/\B(?=(\d{3})+(?!\d))/g, THOUSANDS);
}

/** `1 432 262`, with narrow spaces. */
export function formatExact(count: number): string {
  const digits = group(String(Math.abs(Math.trunc(count))));
  return count < 0 ? MINUS + digits : digits;
}

/** `155 413 → 59 944`, or `from 155 413` while the size after is unknown. */
export function formatSizes(before: number, after: number | null, format: (count: number) => string): string {
  return after === null ? `from ${format(before)}` : `${format(before)} → ${format(after)}`;
}

/** `834`, `2.8 k`, `182 k`, `1.43 M`, rounded. `fine` keeps one decimal below 100 k: `16.9 k`. */
export function formatTokens(count: number, { fine = false }: { fine?: boolean } = {}): string {
  const size = Math.abs(count);
  const sign = count < 0 ? MINUS : '';
  if (size < 999.5) return `${sign}${Math.round(size)}`;
  const oneDecimalBelow = fine ? 99_950 : 9_950;
  if (size < oneDecimalBelow) return `${sign}${(size / 1e3).toFixed(1)}${UNIT_SPACE}k`;
  if (size < 999_500) return `${sign}${Math.round(size / 1e3)}${UNIT_SPACE}k`;
  if (size < 99_950_000) return `${sign}${(size / 1e6).toFixed(2)}${UNIT_SPACE}M`;
  return `${sign}${group(String(Math.round(size / 1e6)))}${UNIT_SPACE}M`;
}

/** `+1.2 k`, `−95 k`. */
export function formatTokenChange(delta: number): string {
  return delta > 0 ? `+${formatTokens(delta, { fine: true })}` : formatTokens(delta, { fine: true });
}

export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${formatExact(count)}${UNIT_SPACE}${count === 1 ? one : many}`;
}
