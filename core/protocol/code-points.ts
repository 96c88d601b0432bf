/** Lengths of texts in code points, as JSON Schema counts them. */

/** Whether a text has more than `max` code points. */
export function exceeds(text: string, max: number): boolean {
  // A code point has one or two units, so most texts need no count.
  if (text.length <= max) return false;
  if (text.length > 2 * max) return true;
  let points = 0;
  for (const _ of text) points += 1;
  return points > max;
}

/** The first `max` code points of a text. */
export function cutPoints(text: string, max: number): string {
  return exceeds(text, max) ? [...text.slice(0, 2 * max)].slice(0, max).join('') : text;
}
