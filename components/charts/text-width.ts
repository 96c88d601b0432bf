/** Widths of short labels without measuring the page: good to a few pixels, the same on every machine. */

/** Geist Mono at 11 px, letter-spacing −.02em, word-spacing −.32em. */
export function monoWidth(text: string): number {
  const spaces = (text.match(/\s/g) ?? []).length;
  return text.length * 6.4 - spaces * 3.5;
}

/** Geist Sans at 11 px. */
export function sansWidth(text: string): number {
  return text.length * 5.7;
}
