/** Checks in a few lookups whether a summary mentions something by its full name or its usual name. */
const MIN_NAME = 3;
const MAX_TEXT = 400_000;
/** Matches whole names: `old-harbour` is not `harbour`. */
const NAME = /[\p{L}\p{N}\p{M}_-]+/gu;
/** Adjacent names per lookup. */
const GRAM = 3;
const COMMON = /^(index|main|mod|init|__init__|readme|package|page|route)\./i;

/** @returns whether a path, command or pattern is mentioned */
export function createNames(summary: string): (what: string) => boolean {
  const known = new Set<string>();
  const pieces = cut(summary.slice(0, MAX_TEXT));
  for (let i = 0; i < pieces.length; i += 1) {
    for (let length = 1; length <= GRAM && i + length <= pieces.length; length += 1) {
      known.add(gram(pieces, i, length));
    }
  }
  const holds = (name: string): boolean => {
    const parts = cut(name);
    if (parts.length === 0) return false;
    const length = Math.min(GRAM, parts.length);
    for (let i = 0; i + length <= parts.length; i += 1) if (!known.has(gram(parts, i, length))) return false;
    return true;
  };
  return (what) => {
    // A label that was cut ends inside a word.
    const whole = what.trim().replace(/\S*…$/, '').trim();
    if (whole.length < MIN_NAME) return false;
    if (holds(whole)) return true;
    // People and models mention a file by its name. A common name such as `index.ts` also needs its folder.
    if (/\s/.test(whole)) return false;
    const parts = whole.split(/[\\/]/).filter((part) => part !== '');
    const name = parts.at(-1) ?? '';
    if (parts.length < 2 || name.length < MIN_NAME || !name.includes('.')) return false;
    return holds(COMMON.test(name) ? parts.slice(-2).join('/') : name);
  };
}

/** Words of a message below this number occur in a summary by chance, so only a quotation counts. */
const MIN_WORDS = 4;

/** @returns whether a summary contains a message, apart from white space, case and punctuation */
export function createQuotes(summary: string): (message: string) => boolean {
  const text = ` ${wordsOf(summary)} `;
  const quotations = new Set(summary.match(/["“][^"“”\n]{1,60}["”]/g)?.map((quoted) => wordsOf(quoted)));
  return (message) => {
    const words = wordsOf(message);
    if (words.split(' ').length < MIN_WORDS) return quotations.has(words);
    return text.includes(` ${words} `);
  };
}

/** Words that a summary leaves out of a task. */
const FILLERS = new Set(
  'a an the of for to in on at and or with from by is are be it its this that'.split(' '),
);
/** Share of the words of a task that one sentence has. */
const TASK_SHARE = 0.75;
/** Bounds of the comparison for hostile texts. */
const MAX_SENTENCES = 5_000;
const MAX_STEMS = 20;

/** @returns whether a sentence of a summary contains most words of a task, in any order and inflection */
export function createMentions(summary: string): (task: string) => boolean {
  const sentences = summary
    .slice(0, MAX_TEXT)
    .split(/[.!?;]\s|\n/, MAX_SENTENCES)
    .map((sentence) => new Set(stemsOf(sentence)));
  return (task) => {
    const stems = stemsOf(task)
      .filter((stem) => !FILLERS.has(stem))
      .slice(0, MAX_STEMS);
    const least = Math.ceil(stems.length * TASK_SHARE);
    // A single word occurs by chance.
    return (
      stems.length > 1 &&
      sentences.some((sentence) => stems.filter((stem) => sentence.has(stem)).length >= least)
    );
  };
}

/** `rounded` and `rounds` as `round`. */
const stemsOf = (text: string) =>
  wordsOf(text)
    .split(' ')
    .map((word) => word.replace(/(?<=..)s$/, '').replace(/(?<=...)(?:ing|ed|e)$/, ''));

function wordsOf(text: string): string {
  return (
    text
      .slice(0, MAX_TEXT)
      .toLowerCase()
      .match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
  ).join(' ');
}

interface Piece {
  name: string;
  /** The text before the name, with white space as one space. */
  before: string;
}

function cut(text: string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of text.matchAll(NAME)) {
    pieces.push({ name: match[0], before: text.slice(end, match.index).replace(/\s+/g, ' ') });
    end = match.index + match[0].length;
  }
  return pieces;
}

function gram(pieces: readonly Piece[], from: number, length: number): string {
  let text = pieces[from]?.name ?? '';
  for (let i = from + 1; i < from + length; i += 1) {
    const piece = pieces[i];
    if (piece) text += piece.before + piece.name;
  }
  return text;
}
