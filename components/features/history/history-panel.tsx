'use client';
import { useCallback, useState } from 'react';
import './history.css';
import type { HistoryGroup } from '@/core/api/history';
import type { FilterChoices } from '@/core/api/responses';
import { useClock } from '../../data/use-clock';
import { useTimeZone } from '../../data/use-time-zone';
import { PanelBoundary } from '../../ui/panel-boundary';
import { BlankStretch, EmptyRange } from './empty-range';
import { GroupTable } from './group-table';
import { HistoryFilters } from './history-filters';
import { exportPath, exportSessionsPath, useHistory } from './history-queries';
import { SHORTEST_RANGE_MS } from './history-range';
import { HistorySheet } from './history-sheet';
import { rangeLabel, SLOT_WORDS } from './history-words';
import { RangeControls } from './range-controls';
import { SlotTable } from './slot-table';
import { ThrashTable } from './thrash-table';
import { TotalsLine } from './totals-line';
import { useHistoryUrl } from './use-history-url';

interface HistoryPanelProps {
  choices: FilterChoices;
  /** Time of the newest turn; null: none yet. */
  newestAt: string | null;
}

/** History of any range: panels on one axis, groups and sessions. */
export function HistoryPanel({ choices, newestAt }: HistoryPanelProps) {
  const [url, change] = useHistoryUrl();
  const zone = useTimeZone();
  const { range, history, sessions } = useHistory(url, zone);
  const now = useClock((time) => Math.floor(time / 60_000) * 60_000);
  const [pointed, setPointed] = useState<HistoryGroup | null>(null);
  const shown = history.value;
  const isFiltered = url.project !== null || url.runner !== null || url.model !== null;
  const zoom = useCallback(
    (from: number, to: number) => {
      const spare = Math.max(0, SHORTEST_RANGE_MS - (to - from)) / 2;
      // Stored data is no finer than a minute.
      const minute = 60_000;
      void change({
        from: new Date(Math.floor((from - spare) / minute) * minute),
        to: new Date(Math.ceil((to + spare) / minute) * minute),
      });
    },
    [change],
  );
  const choose = (group: HistoryGroup) => {
    const by = shown?.by ?? url.by;
    void change({
      [by]: group.name,
      ...(by === 'runner' && { project: group.project }),
      by: nextGrouping(by),
    });
  };

  return (
    <div className="page-x pb-[48px]">
      <header className="flex flex-wrap items-baseline gap-x-[16px] gap-y-[2px] pt-[14px] pb-[10px]">
        <h1 className="text-title">History</h1>
        <p className="text-ink2">
          {shown === null
            ? 'Loading'
            : rangeLabel(Date.parse(shown.from), Date.parse(shown.to), zone, range.isLive)}
          {shown === null ? null : <span>, {SLOT_WORDS[shown.bucket]} buckets</span>}
        </p>
        <p className="ml-auto flex items-baseline gap-[14px] text-small max-md:ml-0">
          <span className="text-ink2">Export</span>
          {(['csv', 'json'] as const).map((format) => (
            <a key={format} className="link" href={exportPath(range, url, zone, format)} download>
              {format.toUpperCase()}
            </a>
          ))}
        </p>
      </header>
      <div className="flex min-h-[34px] flex-wrap items-center gap-x-[28px] gap-y-[4px] border-t border-ink py-[6px]">
        <RangeControls url={url} change={change} range={range} now={now} />
        <HistoryFilters url={url} change={change} choices={choices} />
        {isFiltered ? (
          <button
            type="button"
            className="button h-[22px]"
            onClick={() => void change({ project: null, runner: null, model: null })}
          >
            Clear filters
          </button>
        ) : null}
      </div>
      <div className="border-t border-hair">
        <TotalsLine history={shown} />
      </div>
      <Trouble failed={history.failed} hasValue={shown !== null} />
      <PanelBoundary name="The panels">
        <div className="relative">
          <HistorySheet
            history={shown}
            range={range}
            zone={zone}
            pending={history.pending}
            pointed={pointed?.points ?? null}
            zoom={zoom}
          />
          {shown !== null && shown.points.length === 0 ? (
            <EmptyRange newestAt={newestAt} isFiltered={isFiltered} change={change} zone={zone} />
          ) : null}
          {shown === null ? null : (
            <BlankStretch history={shown} isFiltered={isFiltered} zone={zone} zoom={zoom} />
          )}
        </div>
        {shown === null ? null : <SlotTable history={shown} zone={zone} />}
      </PanelBoundary>
      {shown === null || shown.by === null || shown.groups.length === 0 ? null : (
        <PanelBoundary name="The table of groups">
          <GroupTable history={shown} by={shown.by} choose={choose} point={setPointed} />
        </PanelBoundary>
      )}
      <PanelBoundary name="The list of sessions">
        {sessions.value === null ? (
          sessions.failed ? (
            <p role="status" className="border-t border-hair py-[14px]">
              Sessions could not be loaded. Retrying automatically.
            </p>
          ) : null
        ) : (
          <ThrashTable
            list={sessions.value}
            sort={url.sort}
            exportHref={exportSessionsPath(range, url)}
            changeSort={(sort) => void change({ sort })}
          />
        )}
      </PanelBoundary>
    </div>
  );
}

/** Filtering by a project shows its runners, filtering by a runner its models. */
function nextGrouping(by: 'project' | 'runner' | 'model'): 'project' | 'runner' | 'model' {
  return by === 'project' ? 'runner' : by === 'runner' ? 'model' : 'project';
}

function Trouble({ failed, hasValue }: { failed: boolean; hasValue: boolean }) {
  return (
    <p role="status" className={failed ? 'border-t border-hair py-[8px]' : 'sr-only'}>
      {failed
        ? hasValue
          ? 'History could not be refreshed and may be outdated. Retrying automatically.'
          : 'History could not be loaded. Retrying automatically.'
        : ''}
    </p>
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
