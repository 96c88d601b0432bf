const OPENING = /<checkpoint(?:\s[^<>]*)?>/i;
/** The same at the beginning of a line, as an agent writes it that means it. */
const OPENING_OF_LINE = /(?<=^[ \t]*)<checkpoint(?:\s[^<>]*)?>/im;
const CLOSING = /<\/checkpoint\s*>/i;
/** A line that opens or closes a fenced block: at most three blanks, three or more marks, perhaps a language. */
const FENCE = /^ {0,3}(`{3,}|~{3,})[ \t]*([^`\r]*?)[ \t]*\r?$/;

/**
 * The checkpoint in an agent's answer: the text between `<checkpoint>` and `</checkpoint>`, or up to the end
 * where the tag was never closed; the whole answer where there is no tag. The first tag that begins a line opens it,
 * so that a tag announced in a sentence before does not; else the first one. A code fence wrapped around the answer
 * or around the content is taken off, blocks of code within it stay.
 * @returns the text without blanks at both ends; empty: there is no checkpoint.
 */
export function extractCheckpoint(answer: string): string {
  const opening = OPENING_OF_LINE.exec(answer) ?? OPENING.exec(answer);
  if (opening === null) return unwrap(answer).trim();
  const rest = answer.slice(opening.index + opening[0].length);
  const closing = CLOSING.exec(rest);
  if (closing !== null) return unwrap(rest.slice(0, closing.index)).trim();
  // A fence around the tag ends with the answer and is not part of its content.
  const isFenced = openFences(answer.slice(0, opening.index)) > 0;
  return unwrap(isFenced ? dropLastFence(rest) : rest).trim();
}

/** Remove the fence around the whole text, if there is one. */
function unwrap(text: string): string {
  const lines = text.trim().split('\n');
  if (!FENCE.test(lines[0] ?? '')) return text;
  let open = 0;
  for (const [index, line] of lines.entries()) {
    open = stepInto(line, open);
    if (open === 0) return index === lines.length - 1 ? lines.slice(1, -1).join('\n') : text;
  }
  return text;
}

/** How many fences are open after the line: one with a language opens, a bare one closes what is open. */
function stepInto(line: string, open: number): number {
  const fence = FENCE.exec(line);
  if (fence === null) return open;
  return fence[2] === '' && open > 0 ? open - 1 : open + 1;
}

function openFences(text: string): number {
  return text.split('\n').reduce((open, line) => stepInto(line, open), 0);
}

function dropLastFence(text: string): string {
  const lines = text.trimEnd().split('\n');
  return FENCE.exec(lines.at(-1) ?? '')?.[2] === '' ? lines.slice(0, -1).join('\n') : text;
}
