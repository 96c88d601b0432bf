const OPENING = /<checkpoint(?:\s[^<>]*)?>/i;
/** An opening tag at the start of a line, where the tag is not part of a sentence. */
const OPENING_OF_LINE = /(?<=^[ \t]*)<checkpoint(?:\s[^<>]*)?>/im;
const CLOSING = /<\/checkpoint\s*>/i;
/**
 * A line that opens or closes a fenced block: up to three blanks, three or more fence characters, optionally a
 * language.
 */
const FENCE = /^ {0,3}(`{3,}|~{3,})[ \t]*([^`\r]*?)[ \t]*\r?$/;

/**
 * The checkpoint in an agent's answer: the text between `<checkpoint>` and `</checkpoint>`. Without a closing tag, it
 * is the text up to the end; without an opening tag, the whole answer. The first tag at the start of a line counts,
 * else the first tag. A block that only echoes the template of the request does not count. A code fence around the
 * answer or the content is removed; code blocks inside stay.
 * @returns the trimmed text; empty: there is no checkpoint.
 */
export function extractCheckpoint(answer: string): string {
  const opening = OPENING_OF_LINE.exec(answer) ?? OPENING.exec(answer);
  if (opening === null) return unwrap(answer).trim();
  const rest = answer.slice(opening.index + opening[0].length);
  const closing = CLOSING.exec(rest);
  if (closing !== null) {
    const content = rest.slice(0, closing.index);
    if (!isTemplate(content)) return unwrap(content).trim();
    const after = rest.slice(closing.index + closing[0].length);
    return OPENING.test(after) ? extractCheckpoint(after) : '';
  }
  // The end of a fence around the tag is not part of the content.
  const isFenced = openFences(answer.slice(0, opening.index)) > 0;
  return unwrap(isFenced ? dropLastFence(rest) : rest).trim();
}

/** Whether the content has only headings, and placeholders in square brackets. */
function isTemplate(content: string): boolean {
  const lines = content.split('\n').map((line) => line.trim());
  const texts = lines.filter((line) => line !== '' && !line.startsWith('#'));
  return texts.length > 0 && texts.every((line) => /^\[[^\]]*\]$/.test(line));
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

/** Number of open fences after the line. A bare fence closes the last open fence; any other fence opens a new one. */
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
