import type { History } from '@/core/api/history';
import { formatExact, formatTokens } from '../format/format-tokens';
import { Percent } from '../ui/percent';
import { PeakFigure } from './peak-figure';

/** The range in one line. */
export function TotalsLine({ history }: { history: History | null }) {
  const total = history?.total;
  return (
    <dl className="relative flex min-h-[40px] flex-wrap items-center gap-x-[20px] gap-y-[2px] py-[6px]">
      {total === undefined ? null : (
        <>
          <Figure name={total.turns === 1 ? 'turn' : 'turns'} value={formatExact(total.turns)} />
          <Figure name={total.restarts === 1 ? 'restart' : 'restarts'} value={formatExact(total.restarts)} />
          <Figure
            name={total.compactions === 1 ? 'compaction' : 'compactions'}
            value={formatExact(total.compactions)}
          />
          <Figure name="thrash" value={formatExact(total.thrashes)} />
          <Figure
            name={total.cacheStorms === 1 ? 'cache storm' : 'cache storms'}
            value={formatExact(total.cacheStorms)}
          />
          <Figure name="highest peak" value={<PeakFigure peak={total.peak} />} />
          <Figure name="tokens in" value={formatTokens(total.input)} exact={total.input} />
          <Figure name="out" value={formatTokens(total.output)} exact={total.output} />
          <Figure
            name="from the cache"
            value={total.cacheShare === null ? '–' : <Percent ratio={total.cacheShare} />}
          />
        </>
      )}
    </dl>
  );
}

function Figure({ name, value, exact }: { name: string; value: React.ReactNode; exact?: number }) {
  return (
    <div
      className="flex flex-row-reverse items-baseline gap-[5px]"
      {...(exact === undefined ? {} : { title: formatExact(exact) })}
    >
      <dt className="text-ink2">{name}</dt>
      <dd className="num strong">{value}</dd>
    </div>
  );
}
