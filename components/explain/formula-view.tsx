import type { Expression, Formula, Operation, Rounding, Unit, Value } from '@/core/explain/formula';
import { evaluate } from '@/core/explain/formula';
import { formatNumber, unitWord } from './format-value';
import { expressionName, keyed } from './keyed';

interface FormulaViewProps {
  formula: Formula;
  /** Opens the explanation of a number in it. */
  follow: (figure: string) => void;
}

/** A formula with each number over its name, and its result. */
export function FormulaView({ formula, follow }: FormulaViewProps) {
  const result = evaluate(formula.expression);
  return (
    <div className="formula">
      <Terms expression={formula.expression} follow={follow} />
      <span className="sign">=</span>
      <span className="term">
        <span className="outcome">
          <span className="num">{formatNumber(result, formula.unit)}</span> {unitWord(result, formula.unit)}
        </span>
        <span className="name">{[formula.name, ...notesOf(formula.expression)].join(', ')}</span>
      </span>
    </div>
  );
}

const SIGN: Record<Exclude<Operation, 'most' | 'least'>, string> = {
  add: '+',
  subtract: '−',
  multiply: '×',
  divide: '÷',
};
/** What binds closer needs no brackets. */
const BINDS: Record<string, number> = { add: 1, subtract: 1, multiply: 2, divide: 2 };

interface TermsProps {
  expression: Expression;
  follow: (figure: string) => void;
}

function Terms({ expression, follow }: TermsProps): React.ReactNode {
  switch (expression.kind) {
    case 'value':
      return <Term value={expression} follow={follow} />;
    case 'floor':
    case 'ceil':
    case 'hundredths':
      return <Terms expression={expression.of} follow={follow} />;
    case 'most':
    case 'least': {
      // The bound is named beside the result.
      const meant = expression.of.at(-1);
      return meant === undefined ? null : <Terms expression={meant} follow={follow} />;
    }
    case 'line':
      return <Joined parts={expression.of} kind="multiply" follow={follow} />;
    default:
      return <Joined parts={expression.of} kind={expression.kind} follow={follow} />;
  }
}

interface JoinedProps {
  parts: readonly Expression[];
  kind: keyof typeof SIGN;
  follow: (figure: string) => void;
}

function Joined({ parts, kind, follow }: JoinedProps) {
  return keyed(parts, expressionName).map(({ key, item: part }, index) => {
    const inner = bare(part);
    const own = BINDS[kind] ?? 0;
    const binds = inner.kind === 'line' ? 2 : (BINDS[inner.kind] ?? 3);
    const isBracketed =
      binds < own || (binds === own && index > 0 && (kind === 'divide' || kind === 'subtract'));
    return (
      <span key={key} className="contents">
        {index === 0 ? null : <span className="sign">{SIGN[kind]}</span>}
        {isBracketed ? <span className="sign">(</span> : null}
        <Terms expression={inner} follow={follow} />
        {isBracketed ? <span className="sign">)</span> : null}
      </span>
    );
  });
}

/** Without its rounding and bounds, which are named beside the result. */
function bare(expression: Expression): Expression {
  switch (expression.kind) {
    case 'floor':
    case 'ceil':
    case 'hundredths':
      return bare(expression.of);
    case 'most':
    case 'least':
      return bare(expression.of.at(-1) ?? expression);
    default:
      return expression;
  }
}

function Term({ value, follow }: { value: Value; follow: (figure: string) => void }) {
  const number = <span className="num">{formatNumber(value.value, value.unit)}</span>;
  const { leadsTo } = value;
  return (
    <span className="term">
      {leadsTo === undefined ? (
        <span>{number}</span>
      ) : (
        <button type="button" className="link text-left" onClick={() => follow(leadsTo)}>
          {number}
          <span className="sr-only"> {value.name}, why?</span>
        </button>
      )}
      <span className="name">{`${value.name}${suffix(value.unit)}`}</span>
    </span>
  );
}

/** Only units that the name does not include. */
function suffix(unit: Unit): string {
  return unit === 'minutes a turn' ? ', min a turn' : unit === 'tokens a turn' ? ', a turn' : '';
}

const ROUNDING: Record<Rounding, string> = { floor: 'rounded down', ceil: 'rounded up', hundredths: '' };

/** Rounding and bounds that changed the result. */
function notesOf(expression: Expression): string[] {
  switch (expression.kind) {
    case 'floor':
    case 'ceil':
    case 'hundredths': {
      const changes = evaluate(expression.of) !== evaluate(expression);
      return [
        ...notesOf(expression.of),
        ...(changes && ROUNDING[expression.kind] ? [ROUNDING[expression.kind]] : []),
      ];
    }
    case 'most': {
      const [bound, meant] = expression.of;
      if (bound === undefined || meant === undefined) return [];
      const least = evaluate(bound);
      return [...notesOf(meant), ...(evaluate(meant) < least ? [`never below ${least}`] : [])];
    }
    default:
      return [];
  }
}
