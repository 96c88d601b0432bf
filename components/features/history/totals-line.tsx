import { useMemo } from 'react';
import type { History } from '@/core/api/history';
import type { HistoryFacts, HistoryFigure } from '@/core/explain/explain-history';
import { formatExact, formatTokens } from '../../format/format-tokens';
import { Percent } from '../../ui/percent';
import { HistoryWhy, PeakFigure } from './history-figures';

const COUNTS = [
  ['turns', 'turn', 'turns'],
  ['restarts', 'restart', 'restarts'],
  ['compactions', 'compaction', 'compactions'],
  ['thrashes', 'thrash', 'thrash'],
  ['cacheStorms', 'cache storm', 'cache storms'],
] as const;

/** The totals of the range. */
export function TotalsLine({ history }: { history: History | null }) {
  const facts = useMemo<HistoryFacts | null>(
    () => history && { ...history, of: 'all matching sessions' },
    [history],
  );
  return (
    <dl className="relative flex min-h-[40px] flex-wrap items-center gap-x-[20px] gap-y-[2px] border-t border-hair py-[6px]">
      {facts === null ? null : <Totals facts={facts} />}
    </dl>
  );
}

function Totals({ facts }: { facts: HistoryFacts }) {
  const { input, output, cacheShare, peak } = facts.total;
  const figures: [HistoryFigure, name: string, content: React.ReactNode, title?: string][] = [
    ...COUNTS.map(([of, one, many]): [HistoryFigure, string, string] => {
      const count = facts.total[of];
      return [of, count === 1 ? one : many, formatExact(count)];
    }),
    ['peak', 'highest peak', <PeakFigure key="peak" peak={peak} />],
    ['input', 'tokens in', formatTokens(input), formatExact(input)],
    ['output', 'out', formatTokens(output), formatExact(output)],
    ['cacheShare', 'from the cache', cacheShare === null ? '–' : <Percent key="share" ratio={cacheShare} />],
  ];
  return figures.map(([figure, name, content, title]) => (
    <div key={figure} className="flex flex-row-reverse items-baseline gap-[5px]">
      <dt className="text-ink2">{name}</dt>
      <dd className="num strong">
        <HistoryWhy figure={figure} facts={facts} name={name} {...(title !== undefined && { title })}>
          {content}
        </HistoryWhy>
      </dd>
    </div>
  ));
}
