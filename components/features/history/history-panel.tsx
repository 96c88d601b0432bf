'use client';
import Link from 'next/link';
import { useCallback } from 'react';
import type { FilterChoices } from '@/core/api/responses';
import { type ConnectPlace, EmptyPage, Preview } from '../../connect/empty-page';
import { useNow } from '../../data/use-clock';
import { useTimeZone } from '../../data/use-time-zone';
import { formatClock, formatDay } from '../../format/format-time';
import { PanelBoundary } from '../../ui/panel-boundary';
import { ReadFailure } from '../../ui/part-notice';
import { GroupTable } from './group-table';
import { HistoryControls } from './history-controls';
import { SlotTable, TotalsLine } from './history-figures';
import { recordedSpan, SHORTEST_RANGE_MS } from './history-range';
import { HistorySheet } from './history-sheet';
import { delayWords, rangeLabel, slotWords } from './history-words';
import { ThrashTable } from './thrash-table';
import { useHistory } from './use-history';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** The grouping after a filter: a project shows its runners, a runner its models. */
const NEXT_GROUPING = { project: 'runner', runner: 'model', model: 'project' } as const;

interface HistoryPanelProps {
  choices: FilterChoices;
  place: ConnectPlace;
}

export function HistoryPanel({ choices, place }: HistoryPanelProps) {
  const zone = useTimeZone();
  const { url, change, range, history, sessions, path, sessionsPath } = useHistory(zone);
  const now = useNow(MINUTE);
  const shown = history.value;
  const by = shown?.by ?? null;
  const zoom = useCallback(
    (from: number, to: number) => {
      const spare = Math.max(0, SHORTEST_RANGE_MS - (to - from)) / 2;
      // Stored data is no finer than a minute.
      void change({
        from: new Date(Math.floor((from - spare) / MINUTE) * MINUTE),
        to: new Date(Math.ceil((to + spare) / MINUTE) * MINUTE),
      });
    },
    [change],
  );
  const span = shown && recordedSpan(shown);
  const filters = (url.project ?? url.runner ?? url.model) ? ' for these filters' : '';
  if (choices.projects.length === 0 && shown?.points.length === 0) return <NoHistory place={place} />;
  return (
    <div className="page-x wide-type pb-[48px]">
      <header className="flex flex-wrap items-baseline gap-x-[16px] gap-y-[2px] pt-[14px] pb-[10px]">
        <h1 className="text-title">History</h1>
        <p className="text-ink2">
          {shown === null
            ? 'Loading'
            : `${rangeLabel(Date.parse(shown.from), Date.parse(shown.to), zone, range.isLive)}, ${slotWords(shown.bucket)} buckets${delayWords(shown.behindMs)}`}
        </p>
        {shown?.points.length === 0 ? (
          <p role="status">
            No data in this range{filters}.{' '}
            <Link href="/history" className="link">
              Show recorded data
            </Link>
          </p>
        ) : null}
        {span === null ? null : (
          <p className="text-ink2">
            No data before {(range.to - span.from < DAY ? formatClock : formatDay)(span.from, zone)}
            {filters}.{' '}
            <button type="button" className="link text-ink" onClick={() => zoom(span.from, span.to)}>
              Zoom to the data
            </button>
          </p>
        )}
        <p className="ml-auto flex items-baseline gap-[14px] text-small max-md:ml-0">
          <span className="text-ink2">Export</span>
          {(['csv', 'json'] as const).map((format) => (
            <a key={format} className="link" href={path({ format })} download>
              {format.toUpperCase()}
            </a>
          ))}
        </p>
      </header>
      <HistoryControls url={url} change={change} range={range} now={now} choices={choices} />
      <TotalsLine history={shown} />
      <ReadFailure what="History" error={history.error} hasData={shown !== null} />
      <PanelBoundary name="The panels">
        <HistorySheet
          history={shown}
          range={range}
          zone={zone}
          now={now}
          pending={history.pending}
          zoom={zoom}
        />
        {shown === null ? null : <SlotTable history={shown} zone={zone} now={now} />}
      </PanelBoundary>
      {shown === null || by === null || shown.groups.length === 0 ? null : (
        <PanelBoundary name="The table of groups">
          <GroupTable
            history={shown}
            by={by}
            now={now}
            choose={({ name, project }) =>
              void change({ [by]: name, ...(by === 'runner' && { project }), by: NEXT_GROUPING[by] })
            }
          />
        </PanelBoundary>
      )}
      <PanelBoundary name="The list of sessions">
        <ReadFailure what="Sessions" error={sessions.error} hasData={sessions.value !== null} />
        {sessions.value === null ? null : (
          <ThrashTable
            list={sessions.value}
            sort={url.sort}
            exportHref={sessionsPath({ limit: '500', format: 'csv' })}
            changeSort={(sort) => void change({ sort })}
          />
        )}
      </PanelBoundary>
    </div>
  );
}

function NoHistory({ place }: { place: ConnectPlace }) {
  return (
    <div className="page-x wide-type">
      <EmptyPage
        title="No history yet."
        note="The history begins with the first turn. Imported sessions appear at the times in their transcripts."
        place={place}
      >
        <Preview
          title="Panels of a range, from one hour to a year"
          rows={[
            ['peak pressure', 'Highest pressure of any session in each bucket.'],
            ['boundaries', 'Compactions above the axis, restarts below it.'],
            ['tokens', 'Input and cache writes above the axis, output below it.'],
            ['cache reads', 'Tokens read from the cache. Telemetry only, not in pressure.'],
            ['cache share', 'Share of the input that came from the cache.'],
            ['by project, runner or model', 'The same figures for each group.'],
            ['sessions with boundaries', 'Sessions that thrash, each linked to its event.'],
          ]}
        />
      </EmptyPage>
    </div>
  );
}
