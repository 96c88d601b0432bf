'use client';
import { useMemo, useRef } from 'react';
import '../charts/chart.css';
import { BarogramMarks } from '../charts/barogram-marks';
import { CacheReadsChart } from '../charts/cache-reads-chart';
import { toUnit } from '../charts/chart-scale';
import { TraceLines } from '../charts/trace-lines';
import { formatTokens } from '../format/format-tokens';
import { useClock } from '../live/use-clock';
import { useTimeZone } from '../live/use-time-zone';
import { ContextStrip } from './context-strip';
import { Crosshair } from './crosshair';
import { prepareSheet, type Sheet } from './prepare-sheet';
import type { SessionUrl } from './session-url';
import { TraceTable } from './trace-table';
import { TroubleMarks } from './trouble-marks';
import { useMeasuredWidth } from './use-measured-width';
import type { SessionData } from './use-session-data';

interface SessionSheetProps {
  data: SessionData;
  url: SessionUrl;
  /** The opened event, also when the address names none. */
  selectedId: string | null;
  change: (change: Partial<SessionUrl>) => void;
}

/** The paper moves in steps no eye sees: half a pixel of a sheet of this width. */
const SHEET_STEPS = 2_400;

/** Barogram, strip and cache reads on one x axis, under one crosshair. */
export function SessionSheet({ data, url, selectedId, change }: SessionSheetProps) {
  const box = useRef<HTMLDivElement>(null);
  const width = useMeasuredWidth(box);
  const zone = useTimeZone();
  const { session } = data.view;
  const first = data.points[0]?.t ?? 0;
  const last = data.points.at(-1)?.t ?? first;
  const span = last - (url.from ?? first);
  const stepMs =
    session.liveness === 'live' ? Math.max(1_000, Math.ceil(span / SHEET_STEPS / 1_000) * 1_000) : 30_000;
  const now = useClock((time) => (session.liveness === 'ended' ? last : Math.floor(time / stepMs) * stepMs));
  const { points, overlay, contexts, events } = data;
  const sheet = useMemo(
    () =>
      width === 0
        ? null
        : prepareSheet({ session, points, overlay, contexts, events, url, now, zone, width }),
    [session, points, overlay, contexts, events, url, now, zone, width],
  );
  return (
    <section aria-label="Barogram" aria-busy={data.loading} data-state={session.state} className="min-w-0">
      <div ref={box} className="min-h-[416px] sm:min-h-[590px]">
        {sheet === null ? null : points.length === 0 ? (
          <p className="py-[48px] text-ink2">
            No turn yet. The trace begins with the first one, without a reload.
          </p>
        ) : (
          <Drawn
            sheet={sheet}
            session={session}
            url={url}
            zone={zone}
            selectedId={selectedId}
            events={events}
            change={change}
          />
        )}
      </div>
      {sheet === null ? null : (
        <TraceTable strip={sheet.strip} points={sheet.points} limit={session.limit} zone={zone} />
      )}
    </section>
  );
}

interface DrawnProps {
  sheet: Sheet;
  session: SessionData['view']['session'];
  url: SessionUrl;
  zone: string;
  selectedId: string | null;
  events: SessionData['events'];
  change: (change: Partial<SessionUrl>) => void;
}

const STRIP_HEIGHT = 28;
const CACHE_GAP = 12;

function Drawn({ sheet, session, url, zone, selectedId, events, change }: DrawnProps) {
  const { frame, cacheFrame, layout, reads, unit } = sheet;
  const cacheTop = frame.height + STRIP_HEIGHT + CACHE_GAP;
  const total = formatTokens(session.totals.main.cacheRead);
  return (
    <Crosshair sheet={sheet} url={url} zone={zone} limit={session.limit} cacheTop={cacheTop} change={change}>
      <div className="relative" style={{ height: frame.height }} aria-hidden="true">
        <TraceLines
          frame={frame}
          xDomain={sheet.xDomain}
          xTicks={sheet.xTicks}
          valueAxis={sheet.valueAxis}
          lines={sheet.lines}
          rows={sheet.rows}
          overlayRows={sheet.overlayRows}
          hollow={sheet.hollow}
        />
        <BarogramMarks
          frame={frame}
          narrow={layout.narrow}
          marks={sheet.marks}
          flags={sheet.flags}
          lines={sheet.lines}
          selectedId={selectedId}
          toUnit={(tokens, limit) => toUnit(tokens, limit ?? session.limit, unit)}
          topPercent={unit === 'percent' ? sheet.valueAxis.domain[1] : null}
          state={session.state}
          current={sheet.current}
          nowX={sheet.nowX}
          selectedX={sheet.selectedX}
          forecast={sheet.forecast}
          untracked={sheet.untracked}
          lowerBounds={sheet.lowerBounds}
          notches={sheet.notches}
          singles={sheet.singles}
          unknowns={sheet.unknowns}
        />
      </div>
      <TroubleMarks sheet={sheet} events={events} url={url} change={change} />
      <ContextStrip sheet={sheet} url={url} zone={zone} change={change} />
      <div className="relative" style={{ height: cacheFrame.height, marginTop: CACHE_GAP }}>
        <CacheReadsChart frame={cacheFrame} xDomain={sheet.xDomain} reads={reads} />
        {layout.narrow ? null : (
          <CacheNotes averaged={reads.averaged} total={total} left={frame.right + 16} />
        )}
      </div>
      {layout.narrow ? (
        <p className="mt-[4px] text-small text-ink2">
          <span className="text-ink">cache reads per turn</span>, telemetry only, not in pressure;{' '}
          <span className="num text-ink">{total}</span> in total
        </p>
      ) : null}
    </Crosshair>
  );
}

function CacheNotes({ averaged, total, left }: { averaged: boolean; total: string; left: number }) {
  return (
    <div className="absolute inset-y-0 flex flex-col text-small leading-[14px]" style={{ left }}>
      <p>cache reads per turn</p>
      <p className="text-ink2">{averaged ? 'means; telemetry only,' : 'telemetry only,'}</p>
      <p className="text-ink2">not in pressure</p>
      <p className="mt-auto">
        <span className="num strong">{total}</span> <span className="ml-[2px] text-ink2">in total</span>
      </p>
    </div>
  );
}
