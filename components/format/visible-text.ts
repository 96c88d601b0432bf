/** Makes terminal escapes, control characters, direction marks and zero-width characters visible. */
export interface TextPart {
  text: string;
  /** Name of a hidden character; null: plain text. */
  was: string | null;
}

/** A terminal sequence (CSI, OSC, two characters), or one invisible character. Tab and newline are visible. */
const HIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds control characters
  /\u001b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|\][^\u0007\u001b\n]{0,256}(?:\u0007|\u001b\\)|[ -/]{0,4}[0-~])?|\r(?!\n)|[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|\u034f|\u17b4|\u17b5|[\u{e0000}-\u{e007f}]+/gu;

const NAMES: Readonly<Record<number, readonly [sign: string, name: string]>> = {
  173: ['SHY', 'soft hyphen'],
  1564: ['ALM', 'Arabic letter mark'],
  8203: ['ZWSP', 'zero-width space'],
  8206: ['LRM', 'left-to-right mark'],
  8207: ['RLM', 'right-to-left mark'],
  8232: ['LS', 'line separator'],
  8233: ['PS', 'paragraph separator'],
  8234: ['LRE', 'left-to-right embedding'],
  8235: ['RLE', 'right-to-left embedding'],
  8236: ['PDF', 'end of a direction'],
  8237: ['LRO', 'left-to-right override'],
  8238: ['RLO', 'right-to-left override'],
  8294: ['LRI', 'left-to-right isolate'],
  8295: ['RLI', 'right-to-left isolate'],
  8296: ['FSI', 'first strong isolate'],
  8297: ['PDI', 'end of an isolate'],
  65279: ['BOM', 'byte order mark'],
};

/** Beyond this number of parts, the signs of hidden characters become plain text. */
const MOST_PARTS = 400;

/** Split a text into plain parts and signs of hidden characters. Visible characters are never removed. */
export function visibleParts(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let from = 0;
  for (const match of text.matchAll(HIDDEN)) {
    if (parts.length >= MOST_PARTS) {
      parts.push({ text: text.slice(from).replace(HIDDEN, signOf), was: null });
      return parts;
    }
    if (match.index > from) parts.push({ text: text.slice(from, match.index), was: null });
    parts.push({ text: signOf(match[0]), was: wordsOf(match[0]) });
    from = match.index + match[0].length;
  }
  if (from < text.length) parts.push({ text: text.slice(from), was: null });
  return parts;
}

/** The same signs as plain text, for copying, search and screen readers. */
export function visibleText(text: string): string {
  return text.replace(HIDDEN, signOf);
}

function signOf(hidden: string): string {
  const code = hidden.codePointAt(0) ?? 0;
  // The pictures of control characters start at U+2400.
  if (code < 0x20) return String.fromCodePoint(0x2400 + code) + hidden.slice(1).replace(HIDDEN, signOf);
  if (code === 0x7f) return '\u2421';
  if (code >= 0xe0000) return `\u27e8tags: ${asciiOfTags(hidden)}\u27e9`;
  return `\u27e8${NAMES[code]?.[0] ?? `U+${code.toString(16).toUpperCase().padStart(4, '0')}`}\u27e9`;
}

function wordsOf(hidden: string): string {
  const code = hidden.codePointAt(0) ?? 0;
  if (code === 0x1b) return hidden.length > 1 ? 'terminal escape' : 'escape character';
  if (code >= 0xe0000) return 'text in invisible characters';
  return NAMES[code]?.[1] ?? 'control character';
}

/** Tag characters spell invisible ASCII. */
function asciiOfTags(tags: string): string {
  return [...tags]
    .map((tag) => (tag.codePointAt(0) ?? 0) - 0xe0000)
    .map((code) => (code >= 0x20 && code < 0x7f ? String.fromCharCode(code) : '\u00b7'))
    .join('');
}
