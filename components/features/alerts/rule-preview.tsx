'use client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { useEffect, useState } from 'react';
import type { RuleDefinition } from '@/core/alerts/rule';
import type { RulePreview } from '@/core/api/alerts';
import { fetchJson } from '../../data/fetch-json';
import { useTimeZone } from '../../data/use-time-zone';
import { formatInstant } from '../../format/format-time';
import { formatCount, formatExact } from '../../format/format-tokens';
import { failureText } from '../../ui/form-parts';
import { lineOf, prepareStrip } from './prepare-preview';

const SETTLE_MS = 400;
const SHOWN = 8;
const WIDTH = 560;
const HEIGHT = 40;

/** When the edited rule would have fired in the last seven days. Parts that do not change the answer are left out. */
export function RulePreviewPart({ rule }: { rule: RuleDefinition }) {
  const { condition, scope, forSeconds, resolveSeconds } = rule;
  const asked = JSON.stringify({ condition, scope, forSeconds, resolveSeconds });
  const [settled, setSettled] = useState(asked);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(asked), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [asked]);
  const { data, error, isFetching } = useQuery({
    queryKey: ['rule-preview', settled],
    placeholderData: keepPreviousData,
    retry: false,
    queryFn: ({ signal }) =>
      fetchJson<RulePreview>('/api/v1/alert-rules/preview', {
        method: 'POST',
        body: { name: 'preview', enabled: true, severity: 'info', ...JSON.parse(settled) },
        signal,
      }),
  });
  return (
    <section aria-label="Preview" aria-busy={isFetching} className="border-t border-ink pt-[10px]">
      <h3 className="strong">Last 7 days</h3>
      <p role="status" className="text-small text-ink2">
        {error === null ? previewWords(data, rule) : failureText(error)}
      </p>
      <div className={`max-h-[300px] overflow-y-auto pt-[6px] ${isFetching ? 'opacity-60' : ''}`}>
        {(data?.alerts ?? []).slice(0, SHOWN).map((entry) => (
          <PreviewRow key={entry.session.id} entry={entry} line={lineOf(condition)} />
        ))}
      </div>
    </section>
  );
}

function previewWords(data: RulePreview | undefined, { condition }: RuleDefinition): string {
  if (condition.kind === 'runner_disconnected' || condition.kind === 'runner_queue') {
    return 'No preview: the server keeps no history of connections.';
  }
  if (data === undefined) return 'Computing the preview…';
  const { fired, firedIn, sessions, checked } = data;
  const of =
    checked < sessions
      ? `the latest ${formatExact(checked)} of ${formatCount(sessions, 'session')}`
      : formatCount(sessions, 'session');
  const times = fired === 1 ? 'once' : `${formatExact(fired)} times`;
  if (fired === 0) return `Would not have fired in ${of}.`;
  const more = firedIn > SHOWN ? ` The ${SHOWN} with the most alerts are shown.` : '';
  return `Would have fired ${times}, in ${formatExact(firedIn)} of ${of}.${more}`;
}

type Entry = RulePreview['alerts'][number];

/** The barogram of a session, with the times in which the alert would have fired. */
function PreviewRow({ entry, line }: { entry: Entry; line: number | null }) {
  const zone = useTimeZone();
  const { session, spans } = entry;
  const strip = prepareStrip(entry, { width: WIDTH, height: HEIGHT, line });
  const [first] = spans;
  return (
    <div className="grid items-center gap-x-[16px] border-b border-hair py-[4px] sm:grid-cols-[minmax(0,1fr)_minmax(0,2fr)]">
      <div className="min-w-0">
        <Link
          href={`/sessions/${session.id}`}
          prefetch={false}
          target="_blank"
          className="link block truncate"
        >
          {session.title ?? session.key}
        </Link>
        <p className="truncate text-small text-ink2" title={first?.text}>
          {spans.length === 1 ? 'once' : `${spans.length} times`}
          {first === undefined ? '' : `, first ${formatInstant(Date.parse(first.firedAt), zone)}`}
        </p>
      </div>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        className="h-[40px] w-full"
        role="img"
        aria-label={`Pressure of ${session.title ?? session.key}; ${spans.length} alerts`}
      >
        {strip.spans.map(({ x, width }) => (
          <rect key={x} x={x} y={0} width={width} height={HEIGHT} fill="var(--mark)" fillOpacity={0.16} />
        ))}
        <path d={`M0 ${HEIGHT - 0.5}H${WIDTH}`} stroke="var(--hair2)" vectorEffect="non-scaling-stroke" />
        {strip.lineY === null ? null : (
          <path
            d={`M0 ${strip.lineY}H${WIDTH}`}
            stroke="var(--ink3)"
            strokeDasharray="2 3"
            vectorEffect="non-scaling-stroke"
          />
        )}
        <path
          d={strip.trace}
          fill="none"
          stroke="var(--ink)"
          strokeWidth={1.25}
          vectorEffect="non-scaling-stroke"
        />
        <path
          d={strip.spans.map(({ x }) => `M${x} 0V${HEIGHT}`).join('')}
          stroke="var(--mark)"
          strokeWidth={1.5}
          vectorEffect="non-scaling-stroke"
        />
      </svg>
    </div>
  );
}
