/** The answer to "why?" about one number. */
import type { Formula, Unit } from './formula';

/** A number or an instant in a sentence: written as such by whoever shows it. */
export type Part = { value: number; unit: Unit } | { atMs: number };
export type Phrase = readonly (string | Part)[];

export interface Source {
  name: string;
  /** Its origin. */
  from: Phrase;
}

export interface Explanation {
  /** The number's name. */
  title: string;
  /** Meaning, in a sentence. */
  meaning: Phrase;
  /** The formula with this session's numbers; null: the value was stated, not calculated. */
  formula: Formula | null;
  /** The exact result; null: unknown, and `meaning` explains why. */
  result: number | null;
  unit: Unit;
  /** exact: to the token. at least: turns were lost. estimate: counted in characters. forecast: may come otherwise. */
  certainty: 'exact' | 'at least' | 'estimate' | 'forecast' | 'not known';
  /** How parts of the formula come about, in order. */
  steps: readonly Step[];
  sources: readonly Source[];
  caveats: readonly Phrase[];
}

export type Step = { formula: Formula } | { says: Phrase };

/** Writes a phrase: `say\`stated with turn ${count(12)} at ${atTime(iso)}\``. */
export function say(texts: TemplateStringsArray, ...parts: (Part | string | Phrase)[]): Phrase {
  const phrase: (string | Part)[] = [];
  const put = (part: string | Part) => {
    const last = phrase.at(-1);
    if (part === '') return;
    if (typeof part === 'string' && typeof last === 'string') phrase[phrase.length - 1] = last + part;
    else phrase.push(part);
  };
  texts.forEach((text, index) => {
    put(text);
    const part = parts[index];
    if (part === undefined) return;
    if (Array.isArray(part)) for (const inner of part as Phrase) put(inner);
    else put(part as string | Part);
  });
  return phrase;
}

export const tokens = (value: number): Part => ({ value, unit: 'tokens' });
export const share = (value: number): Part => ({ value, unit: 'share' });
export const count = (value: number): Part => ({ value, unit: 'count' });
export const minutes = (value: number): Part => ({ value, unit: 'minutes' });
export const atTime = (iso: string): Part => ({ atMs: Date.parse(iso) });

/** `1 turn`, `12 turns`. */
export function counted(amount: number, one: string, many = `${one}s`): Phrase {
  return [count(amount), ` ${amount === 1 ? one : many}`];
}
