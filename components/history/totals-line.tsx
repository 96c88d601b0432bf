import { useMemo } from 'react';
import type { History } from '@/core/api/history';
import type { HistoryFacts, HistoryFigure } from '@/core/explain/explain-history';
import { formatExact, formatTokens } from '../format/format-tokens';
import { Percent } from '../ui/percent';
import { HistoryWhy } from './history-why';
import { PeakFigure } from './peak-figure';

/** The range in one line. */
export function TotalsLine({ history }: { history: History | null }) {
  const facts = useMemo(
    () =>
      history === null
        ? null
        : {
            of: 'all that match',
            from: history.from,
            to: history.to,
            total: history.total,
            points: history.points,
          },
    [history],
  );
  return (
    <dl className="relative flex min-h-[40px] flex-wrap items-center gap-x-[20px] gap-y-[2px] py-[6px]">
      {facts === null ? null : <Figures facts={facts} />}
    </dl>
  );
}

function Figures({ facts }: { facts: HistoryFacts }) {
  const { total } = facts;
  return (
    <>
      <Figure facts={facts} of="turns" name={total.turns === 1 ? 'turn' : 'turns'}>
        {formatExact(total.turns)}
      </Figure>
      <Figure facts={facts} of="restarts" name={total.restarts === 1 ? 'restart' : 'restarts'}>
        {formatExact(total.restarts)}
      </Figure>
      <Figure facts={facts} of="compactions" name={total.compactions === 1 ? 'compaction' : 'compactions'}>
        {formatExact(total.compactions)}
      </Figure>
      <Figure facts={facts} of="thrashes" name="thrash">
        {formatExact(total.thrashes)}
      </Figure>
      <Figure facts={facts} of="cacheStorms" name={total.cacheStorms === 1 ? 'cache storm' : 'cache storms'}>
        {formatExact(total.cacheStorms)}
      </Figure>
      <Figure facts={facts} of="peak" name="highest peak">
        <PeakFigure peak={total.peak} />
      </Figure>
      <Figure facts={facts} of="input" name="tokens in" exact={total.input}>
        {formatTokens(total.input)}
      </Figure>
      <Figure facts={facts} of="output" name="out" exact={total.output}>
        {formatTokens(total.output)}
      </Figure>
      <Figure facts={facts} of="cacheShare" name="from the cache">
        {total.cacheShare === null ? '–' : <Percent ratio={total.cacheShare} />}
      </Figure>
    </>
  );
}

interface FigureProps {
  facts: HistoryFacts;
  of: HistoryFigure;
  name: string;
  exact?: number;
  children: React.ReactNode;
}

function Figure({ facts, of, name, exact, children }: FigureProps) {
  return (
    <div className="flex flex-row-reverse items-baseline gap-[5px]">
      <dt className="text-ink2">{name}</dt>
      <dd className="num strong">
        <HistoryWhy
          figure={of}
          facts={facts}
          name={name}
          {...(exact === undefined ? {} : { title: formatExact(exact) })}
        >
          {children}
        </HistoryWhy>
      </dd>
    </div>
  );
}
