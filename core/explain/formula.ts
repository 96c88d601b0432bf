/** A formula with its numbers, as a tree that is both shown and evaluated. */
import { tokensAt } from '../accounting/state';

/** Units with the maximum number of decimals and the words after the number. */
export const UNITS = {
  share: [4, ''],
  count: [0, ''],
  factor: [2, ''],
  tokens: [0, 'tokens'],
  turns: [2, 'turns'],
  minutes: [2, 'min'],
  pixels: [1, 'px'],
  'tokens per turn': [1, 'tokens per turn'],
  'tokens per minute': [1, 'tokens per minute'],
  'minutes per turn': [3, 'min per turn'],
} as const;
export type Unit = keyof typeof UNITS;

export interface Value {
  kind: 'value';
  value: number;
  unit: Unit;
  /** One or two words. Empty: a bound. */
  name: string;
  /** Name of the figure that explains this value. */
  leadsTo?: string;
}

const OPERATIONS = {
  add: (...of: number[]) => of.reduce((a, b) => a + b, 0),
  subtract: (a: number, b: number) => a - b,
  multiply: (a: number, b: number) => a * b,
  divide: (a: number, b: number) => a / b,
  /** A lower bound. */
  most: Math.max,
  floor: Math.floor,
  ceil: Math.ceil,
  hundredths: (a: number) => Math.round(a * 100) / 100,
  /** The tokens of a line: the floor of its share of the limit. */
  line: tokensAt,
};

export type Operation = keyof typeof OPERATIONS;
export type Expression = Value | { kind: Operation; of: readonly Expression[] };

export interface Formula {
  /** Name of the result. */
  name: string;
  unit: Unit;
  expression: Expression;
}

export function evaluate(expression: Expression): number {
  if (expression.kind === 'value') return expression.value;
  const operate: (...of: number[]) => number = OPERATIONS[expression.kind];
  return operate(...expression.of.map(evaluate));
}

export function value(name: string, amount: number, unit: Unit, leadsTo?: string): Value {
  return { kind: 'value', name, value: amount, unit, ...(leadsTo === undefined ? {} : { leadsTo }) };
}

const operation =
  (kind: Operation) =>
  (...of: Expression[]): Expression => ({ kind, of });

export const add = operation('add');
export const subtract = operation('subtract');
export const multiply = operation('multiply');
export const divide = operation('divide');
export const floor = operation('floor');
export const ceil = operation('ceil');
export const hundredths = operation('hundredths');
/** A line's share of the limit, and the limit. */
export const lineAt = operation('line');
export const atLeast = (bound: number, of: Expression) => operation('most')(value('', bound, 'count'), of);
