/**
 * A text with its escapes resolved, and the origin of each character. All depths are resolved at once: JSON in JSON has
 * a line feed as `\\n`, so any number of backslashes before an `n` is one escape, inside and outside of strings.
 */
export interface ResolvedText {
  text: string;
  /** Offset in the given text of the character at `index`. For the length of `text`: the end of the given text. */
  placeOf(index: number): number;
}

const SIMPLE: Readonly<Record<string, string>> = {
  '"': '"',
  '/': '/',
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
};
/** Backslashes and the escape character after them. Backslashes without an escape character become one backslash. */
const ESCAPE = /\\+(?:u[0-9a-fA-F]{4}|["/nrtbf])?/g;

/** Null: the text has no escapes. */
export function resolveEscapes(text: string): ResolvedText | null {
  if (!text.includes('\\')) return null;
  const pieces: string[] = [];
  /** For each unchanged part: its start in the resolved text and in the given text. */
  const resolved: number[] = [0];
  const given: number[] = [0];
  let length = 0;
  let from = 0;
  for (const match of text.matchAll(ESCAPE)) {
    const [sequence] = match;
    const at = match.index;
    pieces.push(text.slice(from, at), toCharacter(sequence));
    length += at - from;
    from = at + sequence.length;
    resolved.push(length, length + 1);
    given.push(at, from);
    length += 1;
  }
  pieces.push(text.slice(from));
  return { text: pieces.join(''), placeOf: (index) => follow(resolved, given, index) };
}

function toCharacter(sequence: string): string {
  const last = sequence.at(-1) ?? '';
  if (last === '\\') return last;
  const [, digits] = /u(.{4})$/.exec(sequence) ?? [];
  if (digits === undefined) return SIMPLE[last] ?? last;
  const code = Number.parseInt(digits, 16);
  // Secrets are ASCII, so any other character may become a non-letter.
  return code < 0x80 ? String.fromCharCode(code) : '\u00b7';
}

function follow(resolved: readonly number[], given: readonly number[], index: number): number {
  let low = 0;
  let high = resolved.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((resolved[middle] ?? 0) <= index) low = middle;
    else high = middle - 1;
  }
  return (given[low] ?? 0) + index - (resolved[low] ?? 0);
}
