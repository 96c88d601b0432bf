import { useMemo } from 'react';
import type { History } from '@/core/api/history';
import type { HistoryFacts, HistoryFigure } from '@/core/explain/explain-history';
import { Why } from '../../explain/why';
import { formatExact, formatTokens } from '../../format/format-tokens';
import { Percent } from '../../ui/percent';
import { PeakFigure } from './peak-figure';

interface HistoryWhyProps {
  figure: HistoryFigure;
  facts: HistoryFacts;
  name: string;
  title?: string;
  children: React.ReactNode;
}

/** A number of a range that answers "why?". */
export function HistoryWhy({ figure, facts, ...rest }: HistoryWhyProps) {
  const question = useMemo(() => ({ about: 'history', figure, facts }) as const, [figure, facts]);
  return <Why of={question} {...rest} />;
}

const COUNTS = [
  ['turns', 'turn', 'turns'],
  ['restarts', 'restart', 'restarts'],
  ['compactions', 'compaction', 'compactions'],
  ['thrashes', 'thrash', 'thrash'],
  ['cacheStorms', 'cache storm', 'cache storms'],
] as const;

/** The totals of the range. */
export function TotalsLine({ history }: { history: History | null }) {
  const facts = useMemo(() => {
    if (history === null) return null;
    const { from, to, total, points } = history;
    return { of: 'all matching sessions', from, to, total, points };
  }, [history]);
  return (
    <dl className="relative flex min-h-[40px] flex-wrap items-center gap-x-[20px] gap-y-[2px] py-[6px]">
      {facts === null ? null : <Totals facts={facts} />}
    </dl>
  );
}

function Totals({ facts }: { facts: HistoryFacts }) {
  const { total } = facts;
  const figure = (of: HistoryFigure, name: string, content: React.ReactNode, exact?: number) => (
    <div key={of} className="flex flex-row-reverse items-baseline gap-[5px]">
      <dt className="text-ink2">{name}</dt>
      <dd className="num strong">
        <HistoryWhy
          figure={of}
          facts={facts}
          name={name}
          {...(exact === undefined ? {} : { title: formatExact(exact) })}
        >
          {content}
        </HistoryWhy>
      </dd>
    </div>
  );
  return (
    <>
      {COUNTS.map(([of, one, many]) => figure(of, total[of] === 1 ? one : many, formatExact(total[of])))}
      {figure('peak', 'highest peak', <PeakFigure peak={total.peak} />)}
      {figure('input', 'tokens in', formatTokens(total.input), total.input)}
      {figure('output', 'out', formatTokens(total.output), total.output)}
      {figure(
        'cacheShare',
        'from the cache',
        total.cacheShare === null ? '–' : <Percent ratio={total.cacheShare} />,
      )}
    </>
  );
}
