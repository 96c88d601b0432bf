'use client';
import { useCallback } from 'react';
import type { FilterChoices } from '@/core/api/responses';
import { useNow } from '../../data/use-clock';
import { useTimeZone } from '../../data/use-time-zone';
import { PanelBoundary } from '../../ui/panel-boundary';
import { EmptyRange } from './empty-range';
import { GroupTable } from './group-table';
import { HistoryControls } from './history-controls';
import { SlotTable, TotalsLine } from './history-figures';
import { SHORTEST_RANGE_MS } from './history-range';
import { HistorySheet } from './history-sheet';
import { rangeLabel, slotWords } from './history-words';
import { ThrashTable } from './thrash-table';
import { historyPath, useHistory, useHistoryUrl } from './use-history';

interface HistoryPanelProps {
  choices: FilterChoices;
  /** Time of the newest turn; null: none yet. */
  newestAt: string | null;
}

const MINUTE = 60_000;
/** Filtering by a project shows its runners, filtering by a runner its models. */
const NEXT_GROUPING = { project: 'runner', runner: 'model', model: 'project' } as const;

/** History of any range: panels on one axis, groups and sessions. */
export function HistoryPanel({ choices, newestAt }: HistoryPanelProps) {
  const [url, change] = useHistoryUrl();
  const zone = useTimeZone();
  const { range, history, sessions } = useHistory(url, zone);
  const now = useNow(MINUTE);
  const shown = history.value;
  const { by, sort } = url;
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
  return (
    <div className="page-x pb-[48px]">
      <header className="flex flex-wrap items-baseline gap-x-[16px] gap-y-[2px] pt-[14px] pb-[10px]">
        <h1 className="text-title">History</h1>
        <p className="text-ink2">
          {shown === null
            ? 'Loading'
            : `${rangeLabel(Date.parse(shown.from), Date.parse(shown.to), zone, range.isLive)}, ${slotWords(shown.bucket)} buckets`}
        </p>
        <p className="ml-auto flex items-baseline gap-[14px] text-small max-md:ml-0">
          <span className="text-ink2">Export</span>
          {(['csv', 'json'] as const).map((format) => (
            <a
              key={format}
              className="link"
              href={historyPath('history', range, url, { by, zone, format })}
              download
            >
              {format.toUpperCase()}
            </a>
          ))}
        </p>
      </header>
      <HistoryControls url={url} change={change} range={range} now={now} choices={choices} />
      <TotalsLine history={shown} />
      <p role="status" className={history.failed ? 'border-t border-hair py-[8px]' : 'sr-only'}>
        {history.failed
          ? `History could not be ${shown === null ? 'loaded' : 'refreshed and may be outdated'}. Retrying automatically.`
          : ''}
      </p>
      <PanelBoundary name="The panels">
        <div className="relative">
          <HistorySheet
            history={shown}
            range={range}
            zone={zone}
            now={now}
            pending={history.pending}
            zoom={zoom}
          />
          {shown === null ? null : (
            <EmptyRange
              history={shown}
              newestAt={newestAt}
              isFiltered={url.project !== null || url.runner !== null || url.model !== null}
              change={change}
              zone={zone}
              zoom={zoom}
            />
          )}
        </div>
        {shown === null ? null : <SlotTable history={shown} zone={zone} now={now} />}
      </PanelBoundary>
      {shown === null || shown.by === null || shown.groups.length === 0 ? null : (
        <PanelBoundary name="The table of groups">
          <GroupTable
            history={shown}
            by={shown.by}
            now={now}
            choose={({ name, project }) => {
              const shownBy = shown.by ?? by;
              void change({
                [shownBy]: name,
                ...(shownBy === 'runner' && { project }),
                by: NEXT_GROUPING[shownBy],
              });
            }}
          />
        </PanelBoundary>
      )}
      <PanelBoundary name="The list of sessions">
        {sessions.value === null ? (
          <p role="status" className={sessions.failed ? 'border-t border-hair py-[14px]' : 'sr-only'}>
            {sessions.failed ? 'Sessions could not be loaded. Retrying automatically.' : ''}
          </p>
        ) : (
          <ThrashTable
            list={sessions.value}
            sort={sort}
            exportHref={historyPath('history/sessions', range, url, { sort, limit: '500', format: 'csv' })}
            changeSort={(next) => void change({ sort: next })}
          />
        )}
      </PanelBoundary>
    </div>
  );
}

/** The page before its data. */
export function HistorySkeleton() {
  return (
    <div className="page-x pb-[48px]" aria-busy="true">
      <header className="pt-[14px] pb-[10px]">
        <h1 className="text-title">History</h1>
      </header>
      <div className="min-h-[34px] border-t border-ink" />
      <div className="min-h-[580px] border-t border-hair" />
    </div>
  );
}
