import { createElement, Fragment, type ReactNode } from 'react';
import type { Explanation, Part, Phrase } from '@/core/explain/explanation';
import {
  type Expression,
  evaluate,
  type Formula,
  type Operation,
  UNITS,
  type Unit,
  type Value,
} from '@/core/explain/formula';
import { formatInstant } from '../format/format-time';
import { formatExact } from '../format/format-tokens';

interface FormulaViewProps {
  formula: Formula;
  follow: (figure: string) => void;
}

/** These nodes have a fixed order, so they need no keys. */
function inOrder(nodes: readonly ReactNode[]) {
  return createElement(Fragment, null, ...nodes);
}

const NAME = 'text-[11px]/[14px] text-ink2';

function FormulaView({ formula: { expression, name, unit }, follow }: FormulaViewProps) {
  const result = evaluate(expression);
  return (
    <div className="formula flex flex-wrap items-start gap-x-[8px] gap-y-[4px]">
      {terms(expression, follow)}
      <span className="text-ink2">=</span>
      <span className="flex flex-col">
        <span className="font-semibold">
          <span className="num">{formatNumber(result, unit)}</span> {unitWord(result, unit)}
        </span>
        <span className={NAME}>{[name, ...notesOf(expression)].join(', ')}</span>
      </span>
    </div>
  );
}

/** Operators with their precedence. A part with a lower precedence gets brackets. */
const SIGNS: Partial<Record<Operation, readonly [sign: string, binds: number]>> = {
  add: ['+', 1],
  subtract: ['−', 1],
  multiply: ['×', 2],
  line: ['×', 2],
  divide: ['÷', 2],
};

function terms(expression: Expression, follow: FormulaViewProps['follow']): ReactNode {
  const { kind } = expression;
  if (kind === 'value') return <Term value={expression} follow={follow} />;
  const [sign, binds] = SIGNS[kind] ?? [];
  // The label of the result names rounding and bounds.
  const inner = expression.of.at(-1);
  if (binds === undefined) return inner && terms(inner, follow);
  const drawPart = (part: Expression, index: number) => {
    const partBinds = bindingOf(part);
    const isBracketed =
      partBinds < binds || (partBinds === binds && index > 0 && (kind === 'divide' || kind === 'subtract'));
    return (
      <span className="contents">
        {index === 0 ? null : <span className="text-ink2">{sign}</span>}
        {isBracketed ? <span className="text-ink2">(</span> : null}
        {terms(part, follow)}
        {isBracketed ? <span className="text-ink2">)</span> : null}
      </span>
    );
  };
  return inOrder(expression.of.map(drawPart));
}

function bindingOf(expression: Expression): number {
  if (expression.kind === 'value') return 3;
  const inner = expression.of.at(-1);
  return SIGNS[expression.kind]?.[1] ?? (inner === undefined ? 3 : bindingOf(inner));
}

function Term({ value, follow }: { value: Value; follow: FormulaViewProps['follow'] }) {
  const number = <span className="num">{formatNumber(value.value, value.unit)}</span>;
  const { leadsTo, name, unit } = value;
  // Leave out a unit that the name already includes.
  const suffix =
    unit === 'minutes per turn' ? ', min per turn' : unit === 'tokens per turn' ? ', per turn' : '';
  return (
    <span className="flex flex-col">
      {leadsTo === undefined ? (
        <span>{number}</span>
      ) : (
        <button type="button" className="link text-left" onClick={() => follow(leadsTo)}>
          {number}
          <span className="sr-only"> {name}, why?</span>
        </button>
      )}
      <span className={NAME}>{`${name}${suffix}`}</span>
    </span>
  );
}

/** Rounding and lower bounds that changed the result. */
function notesOf(expression: Expression): string[] {
  const { kind } = expression;
  if (kind !== 'floor' && kind !== 'ceil' && kind !== 'most' && kind !== 'hundredths') return [];
  const inner = expression.of.at(-1);
  if (inner === undefined) return [];
  const notes = notesOf(inner);
  const result = evaluate(expression);
  if (kind === 'hundredths' || evaluate(inner) === result) return notes;
  return [...notes, kind === 'most' ? `never below ${result}` : `rounded ${kind === 'ceil' ? 'up' : 'down'}`];
}

const SPACE = '\u00a0';
const MINUS = '\u2212';

/** The number without its unit, and without trailing zeros: `68`, `3.1835 %`. */
function formatNumber(value: number, unit: Unit): string {
  if (unit === 'tokens' || unit === 'count') return formatExact(value);
  const isShare = unit === 'share';
  const fixed = Math.abs(isShare ? value * 100 : value)
    .toFixed(UNITS[unit][0])
    .replace(/\.?0+$/, '');
  const [whole = '0', fraction] = fixed.split('.');
  const text = `${formatExact(Number(whole))}${fraction === undefined ? '' : `.${fraction}`}`;
  const sign = value < 0 && Number(fixed) !== 0 ? MINUS : '';
  return `${sign}${text}${isShare ? `${SPACE}%` : ''}`;
}

/** The unit after the number; empty: none. */
function unitWord(value: number, unit: Unit): string {
  return value === 1 && unit === 'turns' ? 'turn' : UNITS[unit][1];
}

const CERTAINTY: Record<Explanation['certainty'], readonly [sign: string, words: string]> = {
  exact: ['', 'exact'],
  'at least': ['≥', 'lower bound'],
  estimate: ['≈', 'estimate'],
  forecast: ['≈', 'forecast'],
  'not known': ['', 'unknown'],
};

export function AnswerHead({ explanation: { result, unit, certainty } }: { explanation: Explanation }) {
  const [sign, words] = CERTAINTY[certainty];
  return (
    <p className="flex items-baseline gap-[8px]">
      {result === null ? null : (
        <span>
          <span className="num strong">
            {sign}
            {formatNumber(result, unit)}
          </span>{' '}
          <span className="text-ink2">{unitWord(result, unit)}</span>
        </span>
      )}
      <span className="text-small text-ink2">{words}</span>
    </p>
  );
}

/** A sentence with its numbers in the number font. Units such as `tokens` are part of the sentence. */
function PhraseText({ phrase, zone }: { phrase: Phrase; zone: string }) {
  const drawPart = (part: Part | string) => {
    if (typeof part === 'string') return part;
    if ('atMs' in part) {
      return <time dateTime={new Date(part.atMs).toISOString()}>{formatInstant(part.atMs, zone)}</time>;
    }
    const unit = part.unit === 'minutes' ? '\u00a0min' : '';
    return <span className="num">{`${formatNumber(part.value, part.unit)}${unit}`}</span>;
  };
  return inOrder(phrase.map(drawPart));
}

interface AnswerProps {
  explanation: Explanation;
  zone: string;
  follow: (figure: string) => void;
}

const SECTION = 'border-t border-hair px-[16px] py-[10px]';

export function Answer({ explanation, zone, follow }: AnswerProps) {
  const { meaning, formula, steps, sources, caveats } = explanation;
  const drawStep = (step: Explanation['steps'][number]) =>
    'expression' in step ? (
      <div className="border-t border-hair pt-[6px]">
        <FormulaView formula={step} follow={follow} />
      </div>
    ) : (
      <p className="text-small text-ink2">
        <PhraseText phrase={step} zone={zone} />
      </p>
    );
  const drawCaveat = (caveat: Phrase) => (
    <p className="text-ink2">
      <PhraseText phrase={caveat} zone={zone} />
    </p>
  );
  return (
    <>
      <section className={SECTION}>
        <p>
          <PhraseText phrase={meaning} zone={zone} />
        </p>
      </section>
      {formula === null && steps.length === 0 ? null : (
        <section className={`${SECTION} flex flex-col gap-[8px]`}>
          {formula === null ? null : <FormulaView formula={formula} follow={follow} />}
          {inOrder(steps.map(drawStep))}
        </section>
      )}
      <section className={`${SECTION} flex flex-col gap-[6px] text-small`}>
        <dl className="grid grid-cols-[64px_minmax(0,1fr)] gap-x-[10px] gap-y-[2px] empty:hidden">
          {Object.entries(sources).map(([name, from]) => (
            <div key={name} className="contents">
              <dt className="text-ink2">{name}</dt>
              <dd className="[overflow-wrap:anywhere]">
                <PhraseText phrase={from} zone={zone} />
              </dd>
            </div>
          ))}
        </dl>
        {inOrder(caveats.map(drawCaveat))}
      </section>
    </>
  );
}
