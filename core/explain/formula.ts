/**
 * A formula with its numbers: one tree that is both shown and evaluated, with the operations of the accounting.
 */
import { tokensAt } from '../accounting/state';

/** What a number counts: how it is written follows from it. */
export type Unit =
  | 'tokens'
  | 'share'
  | 'turns'
  | 'minutes'
  | 'tokens a turn'
  | 'tokens a minute'
  | 'minutes a turn'
  | 'count'
  | 'factor'
  | 'pixels';

/** A number. */
export interface Value {
  kind: 'value';
  value: number;
  unit: Unit;
  /** What it is, in a word or two. */
  name: string;
  /** The figure that explains it in turn. */
  leadsTo?: string;
}

export type Operation = 'add' | 'subtract' | 'multiply' | 'divide' | 'most' | 'least';
export type Rounding = 'floor' | 'ceil' | 'hundredths';

export type Expression =
  | Value
  | { kind: Operation; of: readonly Expression[] }
  | { kind: Rounding; of: Expression }
  /** Where a line lies: the floor of its share of the limit. */
  | { kind: 'line'; of: readonly [line: Value, limit: Value] };

/** A formula and its result. */
export interface Formula {
  expression: Expression;
  /** What the result is called. */
  name: string;
  unit: Unit;
}

export function evaluate(expression: Expression): number {
  switch (expression.kind) {
    case 'value':
      return expression.value;
    case 'floor':
      return Math.floor(evaluate(expression.of));
    case 'ceil':
      return Math.ceil(evaluate(expression.of));
    case 'hundredths':
      return Math.round(evaluate(expression.of) * 100) / 100;
    case 'line':
      return tokensAt(expression.of[0].value, expression.of[1].value);
    default:
      return expression.of.map(evaluate).reduce(OPERATIONS[expression.kind]);
  }
}

const OPERATIONS: Record<Operation, (a: number, b: number) => number> = {
  add: (a, b) => a + b,
  subtract: (a, b) => a - b,
  multiply: (a, b) => a * b,
  divide: (a, b) => a / b,
  most: (a, b) => Math.max(a, b),
  least: (a, b) => Math.min(a, b),
};

export function value(name: string, amount: number, unit: Unit, leadsTo?: string): Value {
  return { kind: 'value', name, value: amount, unit, ...(leadsTo === undefined ? {} : { leadsTo }) };
}

export const add = (...of: Expression[]): Expression => ({ kind: 'add', of });
export const subtract = (...of: Expression[]): Expression => ({ kind: 'subtract', of });
export const multiply = (...of: Expression[]): Expression => ({ kind: 'multiply', of });
export const divide = (...of: Expression[]): Expression => ({ kind: 'divide', of });
/** The larger of a bound and a value. */
export const atLeast = (bound: number, unit: Unit, of: Expression): Expression => ({
  kind: 'most',
  of: [value('', bound, unit), of],
});
export const floor = (of: Expression): Expression => ({ kind: 'floor', of });
/** The smaller of a bound and a value. */
export const atMost = (bound: number, unit: Unit, of: Expression): Expression => ({
  kind: 'least',
  of: [value('', bound, unit), of],
});
export const lineAt = (line: Value, limit: Value): Expression => ({ kind: 'line', of: [line, limit] });
export const ceil = (of: Expression): Expression => ({ kind: 'ceil', of });
export const hundredths = (of: Expression): Expression => ({ kind: 'hundredths', of });

/** Every number in it, in the order of reading; bounds without a name are left out. */
export function valuesOf(expression: Expression): Value[] {
  if (expression.kind === 'value') return expression.name === '' ? [] : [expression];
  const parts = Array.isArray(expression.of) ? expression.of : [expression.of as Expression];
  return parts.flatMap(valuesOf);
}
