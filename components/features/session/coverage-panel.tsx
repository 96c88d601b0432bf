import { useMemo } from 'react';
import { cacheShareOf } from '@/core/accounting/counts';
import type { SeriesPoint } from '@/core/api/series';
import type { Session } from '@/core/api/session';
import type { SessionFigure } from '@/core/explain/explain-session';
import { formatPercent } from '../../format/format-percent';
import { formatExact, formatTokens } from '../../format/format-tokens';
import { Figure, FoldedSection, Quiet, useSessionPage } from './session-page';

const SOURCE_WORDS: Record<Session['sources'][number], string> = {
  transcript: 'the client’s transcript',
  sdk: 'a runner',
  hook: 'the client’s hooks',
  otlp: 'the client’s telemetry',
};

/**
 * A collapsible panel with the session's totals, the topics that its sources report, and the topics that no source
 * reports. In a topic that no source reports, 0 means unknown.
 */
export function CoveragePanel() {
  const { coverage, sources } = useSessionPage().session;
  const from = new Intl.ListFormat('en').format(sources.map((source) => SOURCE_WORDS[source]));
  return (
    <FoldedSection
      title="Totals and coverage"
      note={from === '' ? 'No source has reported yet.' : `Based on ${from}.`}
    >
      <Totals />
      <div className="grid gap-x-[32px] lg:grid-cols-2">
        <Topics title="Seen" topics={coverage.filter(({ seen }) => seen)} />
        <Topics title="Not seen" topics={coverage.filter(({ seen }) => !seen)} />
      </div>
    </FoldedSection>
  );
}

function Totals() {
  const { session, points } = useSessionPage();
  const peak = useMemo(() => openPeak(points), [points]);
  const { limit, liveness, contextCount } = session;
  const { all } = session.totals;
  const share = cacheShareOf(all);
  const peakWords =
    limit === null || limit <= 0 ? formatTokens(peak ?? 0) : formatPercent((peak ?? 0) / limit);
  const why = (figure: SessionFigure, name: string, value: string) => (
    <Figure figure={figure} name={name} className="num">
      {value}
    </Figure>
  );
  const unknown = <Quiet>unknown</Quiet>;
  return (
    <dl className="grid grid-cols-2 gap-x-[20px] gap-y-[10px] pb-[14px] md:grid-cols-4">
      <Total name="input + output so far">
        {why('spent', 'input and output', formatTokens(all.input + all.output))}
      </Total>
      <Total name="input from the cache">
        {share === null ? unknown : why('cache-share', 'from the cache', formatPercent(share))}
      </Total>
      <Total name={liveness === 'ended' ? 'last context' : 'open context'}>
        {why('context', 'number of the context', formatExact(contextCount - 1))}
      </Total>
      <Total name="context peak">
        {peak === null ? unknown : why('peak', 'peak of the open context', peakWords)}
      </Total>
    </dl>
  );
}

function Total({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div>
      <dt className="text-small text-ink2">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** The highest value of the last context in the series, tokens. Thinned points keep their peak. */
function openPeak(points: readonly SeriesPoint[]): number | null {
  const open = points.at(-1)?.context;
  const peaks = points.flatMap(({ context, max }) => (context !== open || max === null ? [] : [max]));
  return peaks.length === 0 ? null : Math.max(...peaks);
}

function Topics({ title, topics }: { title: string; topics: Session['coverage'] }) {
  if (topics.length === 0) return null;
  return (
    <div>
      <h3 className="border-b border-hair2 pb-[3px] text-small font-normal text-ink2">{title}</h3>
      <dl>
        {topics.map(({ topic, seen, note }) => (
          <div
            key={topic}
            className="grid gap-x-[8px] border-b border-hair py-[7px] sm:grid-cols-[190px_minmax(0,1fr)]"
          >
            <dt className={seen ? 'font-medium' : 'text-ink2'}>{topic}</dt>
            <dd className="text-ink2">{note}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
