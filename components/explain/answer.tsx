import type { Explanation } from '@/core/explain/explanation';
import { formatNumber, unitWord } from './format-value';
import { FormulaView } from './formula-view';
import { keyed, phraseName, stepName } from './keyed';
import { PhraseText } from './phrase-text';

const CERTAINTY: Record<Explanation['certainty'], string> = {
  exact: 'exact',
  'at least': 'lower bound',
  estimate: 'estimate',
  forecast: 'forecast',
  'not known': 'unknown',
};

const SIGN: Partial<Record<Explanation['certainty'], string>> = {
  'at least': '≥',
  estimate: '≈',
  forecast: '≈',
};

/** The exact number and its certainty. */
export function AnswerHead({ explanation }: { explanation: Explanation }) {
  const { result, unit, certainty } = explanation;
  return (
    <p className="flex items-baseline gap-[8px]">
      {result === null ? null : (
        <span>
          <span className="num strong">
            {SIGN[certainty] ?? ''}
            {formatNumber(result, unit)}
          </span>{' '}
          <span className="text-ink2">{unitWord(result, unit)}</span>
        </span>
      )}
      <span className="text-small text-ink2">{CERTAINTY[certainty]}</span>
    </p>
  );
}

interface AnswerProps {
  explanation: Explanation;
  zone: string;
  /** Opens the explanation of a number in a formula. */
  follow: (figure: string) => void;
}

/** Meaning, calculation, sources and caveats of a number. */
export function Answer({ explanation, zone, follow }: AnswerProps) {
  const { meaning, formula, steps, sources, caveats } = explanation;
  return (
    <>
      <section>
        <p>
          <PhraseText phrase={meaning} zone={zone} />
        </p>
      </section>
      {formula === null && steps.length === 0 ? null : (
        <section className="flex flex-col gap-[8px]">
          {formula === null ? null : <FormulaView formula={formula} follow={follow} />}
          {keyed(steps, stepName).map(({ key, item: step }) =>
            'formula' in step ? (
              <div key={key} className="border-t border-hair pt-[6px]">
                <FormulaView formula={step.formula} follow={follow} />
              </div>
            ) : (
              <p key={key} className="text-small text-ink2">
                <PhraseText phrase={step.says} zone={zone} />
              </p>
            ),
          )}
        </section>
      )}
      <section className="flex flex-col gap-[6px] text-small">
        {sources.length === 0 ? null : (
          <dl className="grid grid-cols-[64px_minmax(0,1fr)] gap-x-[10px] gap-y-[2px]">
            {sources.map(({ name, from }) => (
              <div key={name} className="contents">
                <dt className="text-ink2">{name}</dt>
                <dd className="[overflow-wrap:anywhere]">
                  <PhraseText phrase={from} zone={zone} />
                </dd>
              </div>
            ))}
          </dl>
        )}
        {keyed(caveats, phraseName).map(({ key, item: caveat }) => (
          <p key={key} className="text-ink2">
            <PhraseText phrase={caveat} zone={zone} />
          </p>
        ))}
      </section>
    </>
  );
}
