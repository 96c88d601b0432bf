/** The explanation of one number. */
import { type Expression, evaluate, type Formula, type Unit } from './formula';

/** A number or an instant in a sentence; the page formats it. */
export type Part = { value: number; unit: Unit } | { atMs: number };
export type Phrase = readonly (string | Part)[];

export interface Explanation {
  title: string;
  meaning: Phrase;
  /** The formula with this session's numbers. Null: the value was not calculated. */
  formula: Formula | null;
  /** The unrounded result. Null: unknown, and `meaning` explains why. */
  result: number | null;
  unit: Unit;
  /** `at least`: turns were lost. `estimate`: an input is not exact. */
  certainty: 'exact' | 'at least' | 'estimate' | 'forecast' | 'not known';
  /** Parts of the calculation, in order. */
  steps: readonly Step[];
  /** The origin of each input, by its name. */
  sources: Readonly<Record<string, Phrase>>;
  caveats: readonly Phrase[];
}

type Step = Formula | Phrase;

interface Parts {
  meaning: Phrase;
  formula?: readonly [name: string, expression: Expression] | null;
  /** Default: the value of the formula. */
  result?: number | null;
  /** Certainty of a known result. Default: exact. */
  certainty?: Explanation['certainty'];
  steps?: readonly (Step | false)[];
  sources: Explanation['sources'];
  caveats?: readonly (Phrase | false)[];
}

/** Builds an explanation from its parts and omits parts that are false. */
export function explained(title: string, unit: Unit, parts: Parts): Explanation {
  const { meaning, sources, certainty = 'exact', steps = [], caveats = [] } = parts;
  const formula = parts.formula ? { name: parts.formula[0], unit, expression: parts.formula[1] } : null;
  const { result = formula === null ? null : evaluate(formula.expression) } = parts;
  return {
    title,
    meaning,
    formula,
    result,
    unit,
    certainty: result === null ? 'not known' : certainty,
    steps: steps.filter((step) => step !== false),
    sources,
    caveats: caveats.filter((caveat) => caveat !== false),
  };
}

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
