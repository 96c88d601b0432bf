/** React keys from the names of pieces, not their numbers, so that a piece keeps its key when its number changes. */
import type { Phrase, Step } from '@/core/explain/explanation';
import type { Expression } from '@/core/explain/formula';

/** Items with a key each: the name and its occurrence. */
export function keyed<T>(items: readonly T[], nameOf: (item: T) => string): Array<{ key: string; item: T }> {
  const times = new Map<string, number>();
  return items.map((item) => {
    const name = nameOf(item);
    const time = (times.get(name) ?? 0) + 1;
    times.set(name, time);
    return { key: `${name} ${time}`, item };
  });
}

export function partName(part: Phrase[number]): string {
  return typeof part === 'string' ? part : 'atMs' in part ? 'instant' : part.unit;
}

export function phraseName(phrase: Phrase): string {
  return phrase.map(partName).join('|');
}

export function stepName(step: Step): string {
  return 'formula' in step ? step.formula.name : phraseName(step.says);
}

export function expressionName(expression: Expression): string {
  if (expression.kind === 'value') return expression.name;
  const parts = Array.isArray(expression.of)
    ? (expression.of as readonly Expression[])
    : [expression.of as Expression];
  return `${expression.kind}(${parts.map(expressionName).join(',')})`;
}
