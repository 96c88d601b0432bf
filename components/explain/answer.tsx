import type { Explanation, Part, Phrase } from '@/core/explain/explanation';
import { formatInstant } from '../format/format-time';
import { FormulaView, formatNumber, inOrder, unitWord } from './formula-view';

const CERTAINTY: Record<Explanation['certainty'], readonly [sign: string, words: string]> = {
  exact: ['', 'exact'],
  'at least': ['≥', 'lower bound'],
  estimate: ['≈', 'estimate'],
  forecast: ['≈', 'forecast'],
  'not known': ['', 'unknown'],
};

/** The exact number and its certainty. */
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

/** A sentence with its numbers set as numbers; it names `tokens` and `turns` itself. */
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
  /** Opens the explanation of a number in a formula. */
  follow: (figure: string) => void;
}

const SECTION = 'border-t border-hair px-[16px] py-[10px]';

/** Meaning, calculation, sources and caveats of a number. */
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
