import type { Item } from './items';

/** Most names have only these characters. */
const PLAIN = /^[!-~](?:[ -~]*[!-~])?$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds terminal escapes
const TERMINAL_ESCAPES = /\u001b\[[0-?]{0,64}[ -/]{0,8}[@-~]/gu;
const BREAKS = /[\p{Cc}\u2028\u2029]+/gu;
/** Characters that have no glyph or reorder the text around them, except the joiners of emoji and of scripts. */
const INVISIBLE =
  /\u034f|[\p{Cs}\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;
const JOINERS = /\s|\u200c|\u200d|[\ufe00-\ufe0f]/gu;

/** A name on one line, without control characters and invisible characters. Null: nothing of it is visible. */
export function cleanName(name: string): string | null {
  if (PLAIN.test(name)) return name;
  const clean = name.replace(TERMINAL_ESCAPES, '').replace(BREAKS, ' ').replace(INVISIBLE, '').trim();
  return clean.replace(JOINERS, '') === '' ? null : clean;
}

const NAMES = ['title', 'model', 'host', 'branch'] as const;

/** Cleans the names in an item. A name without a visible character becomes absent. */
export function cleanNames(item: Item): void {
  const names = item as Partial<Record<(typeof NAMES)[number], string>>;
  for (const name of NAMES) {
    const given = names[name];
    if (given === undefined) continue;
    const clean = cleanName(given);
    if (clean === null) delete names[name];
    else names[name] = clean;
  }
}
