'use client';
import { useCallback, useState } from 'react';
import './history.css';
import type { HistoryGroup } from '@/core/api/history';
import type { FilterChoices } from '@/core/api/responses';
import { useClock } from '../live/use-clock';
import { useTimeZone } from '../live/use-time-zone';
import { PanelBoundary } from '../ui/panel-boundary';
import { BlankStretch } from './blank-stretch';
import { EmptyRange } from './empty-range';
import { exportPath, exportSessionsPath } from './fetch-history';
import { GroupTable } from './group-table';
import { HistoryFilters } from './history-filters';
import { SHORTEST_RANGE_MS } from './history-range';
import { HistorySheet } from './history-sheet';
import { rangeLabel, SLOT_WORDS } from './history-words';
import { RangeControls } from './range-controls';
import { SlotTable } from './slot-table';
import { ThrashTable } from './thrash-table';
import { TotalsLine } from './totals-line';
import { useHistoryData } from './use-history-data';
import { useHistoryUrl } from './use-history-url';

interface HistoryPanelProps {
  choices: FilterChoices;
  /** When the newest turn came; null: there is none yet. */
  newestAt: string | null;
}

/** What happened over any range: in panels on one axis, by group, and by session. */
export function HistoryPanel({ choices, newestAt }: HistoryPanelProps) {
  const [url, change] = useHistoryUrl();
  const zone = useTimeZone();
  const { range, history, sessions } = useHistoryData(url, zone);
  const now = useClock((time) => Math.floor(time / 60_000) * 60_000);
  const [pointed, setPointed] = useState<HistoryGroup | null>(null);
  const shown = history.value;
  const isFiltered = url.project !== null || url.runner !== null || url.model !== null;
  const zoom = useCallback(
    (from: number, to: number) => {
      const spare = Math.max(0, SHORTEST_RANGE_MS - (to - from)) / 2;
      // Whole minutes: what is stored is no finer, and the address stays short.
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
            ? 'Reading'
            : rangeLabel(Date.parse(shown.from), Date.parse(shown.to), zone, range.isLive)}
          {shown === null ? null : <span>, in slots of {SLOT_WORDS[shown.bucket]}</span>}
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
              The sessions of the range could not be read; it is tried again by itself.
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

/** Having gone into one project one wants its runners, into a runner its models. */
function nextGrouping(by: 'project' | 'runner' | 'model'): 'project' | 'runner' | 'model' {
  return by === 'project' ? 'runner' : by === 'runner' ? 'model' : 'project';
}

function Trouble({ failed, hasValue }: { failed: boolean; hasValue: boolean }) {
  return (
    <p role="status" className={failed ? 'border-t border-hair py-[8px]' : 'sr-only'}>
      {failed
        ? hasValue
          ? 'History could not be read again. What is shown stays as it was; it is tried again by itself.'
          : 'History could not be read. It is tried again by itself; the fleet works without it.'
        : ''}
    </p>
  );
}
