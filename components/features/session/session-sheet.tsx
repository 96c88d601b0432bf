'use client';
import { Suspense, useCallback, useMemo, useRef } from 'react';
import '../../charts/chart.css';
import type { SubAgent } from '@/core/api/series';
import type { SessionEvent } from '@/core/events/event';
import { BarogramMarks } from '../../charts/barogram-marks';
import { toUnit } from '../../charts/chart-scale';
import { placeAgentNames } from '../../charts/prepare-agents';
import { segmentPath } from '../../charts/segment-path';
import { type ThinTrace, ThinTraces } from '../../charts/thin-traces';
import { TraceLines } from '../../charts/trace-lines';
import { useClock } from '../../data/use-clock';
import { useTimeZone } from '../../data/use-time-zone';
import type { Notes } from '../../notes/use-notes';
import { lazyPart } from '../../ui/lazy-part';
import { PanelBoundary } from '../../ui/panel-boundary';
import { useMeasuredWidth } from '../../ui/use-measured-width';
import { ContextStrip } from './context-strip';
import { Crosshair } from './crosshair';
import { prepareSheet, type Sheet } from './prepare-sheet';
import type { SessionUrl } from './session-url';
import { SHEET_DRAWING } from './sheet-export';
import { TelemetryPanel } from './telemetry-panel';
import { TELEMETRY_PANELS } from './telemetry-panels';
import { TraceTable } from './trace-table';
import type { SessionData } from './use-session-data';

// What most sessions have none of is read where one has it.
const NoteMarks = lazyPart(() => import('../../notes/note-marks'));
const AgentsTable = lazyPart(() => import('./agents-table'));
const TroubleMarks = lazyPart(() => import('./trouble-marks'));

interface SessionSheetProps {
  data: SessionData;
  url: SessionUrl;
  /** The opened event, also when the address names none. */
  selectedId: string | null;
  notes: Notes;
  change: (change: Partial<SessionUrl>) => void;
}

/** The paper moves in steps no eye sees: half a pixel of a sheet of this width. */
const SHEET_STEPS = 2_400;
const NO_AGENTS: readonly SubAgent[] = [];

/** Barogram, strip, cache and tokens on one x axis, under one crosshair. */
export function SessionSheet({ data, url, selectedId, notes, change }: SessionSheetProps) {
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
  const subAgents = data.subAgents?.agents ?? NO_AGENTS;
  const sheet = useMemo(
    () =>
      width === 0
        ? null
        : prepareSheet({ session, points, overlay, subAgents, contexts, events, url, now, zone, width }),
    [session, points, overlay, subAgents, contexts, events, url, now, zone, width],
  );
  return (
    <section aria-label="Barogram" aria-busy={data.loading} data-state={session.state} className="min-w-0">
      <div ref={box} className="min-h-[580px] md:min-h-[694px] min-[116.25rem]:min-h-[822px]">
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
            notes={notes}
            change={change}
          />
        )}
      </div>
      {sheet === null ? null : <TraceTable points={sheet.points} limit={session.limit} zone={zone} />}
      {data.subAgents === null ? null : (
        <Suspense>
          <AgentsTable list={data.subAgents} zone={zone} />
        </Suspense>
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
  notes: Notes;
  change: (change: Partial<SessionUrl>) => void;
}

function Drawn({ sheet, session, url, zone, selectedId, events, notes, change }: DrawnProps) {
  const { frame, layout, unit } = sheet;
  const { limit: ownLimit } = session;
  const inUnit = useCallback(
    (tokens: number | null, limit: number | null) => toUnit(tokens, limit ?? ownLimit, unit),
    [ownLimit, unit],
  );
  return (
    <Crosshair
      sheet={sheet}
      url={url}
      zone={zone}
      limit={session.limit}
      change={change}
      onMoment={notes.point}
      onPick={notes.pick}
    >
      <div id={SHEET_DRAWING} className="relative" style={{ height: frame.height }} aria-hidden="true">
        <ThinTraces
          frame={frame}
          traces={[...agentTraces(sheet), ...sumTraces(sheet)]}
          names={placeAgentNames(
            sheet.agents,
            frame,
            sheet.marks.map(({ x }) => x),
          )}
        />
        <TraceLines
          frame={frame}
          xDomain={sheet.xDomain}
          xTicks={sheet.xTicks}
          valueAxis={sheet.valueAxis}
          lines={sheet.lines}
          rows={sheet.rows}
          overlayRows={sheet.overlayRows}
          hollow={sheet.hollow}
          crowded={sheet.crowded}
        />
        <BarogramMarks
          frame={frame}
          sums={sheet.sums}
          narrow={layout.narrow}
          labelSide={sheet.labelSide}
          marks={sheet.marks}
          flags={sheet.flags}
          lines={sheet.lines}
          selectedId={selectedId}
          toUnit={inUnit}
          topPercent={unit === 'percent' ? sheet.valueAxis.domain[1] : null}
          bounds={sheet.bounds}
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
      {events.some(isTrouble) ? (
        <PanelBoundary name="The marks of trouble">
          <Suspense>
            <TroubleMarks sheet={sheet} events={events} url={url} change={change} />
          </Suspense>
        </PanelBoundary>
      ) : null}
      {notes.list.length === 0 && notes.picked === null ? null : (
        <PanelBoundary name="The notes on the trace">
          <Suspense>
            <NoteMarks sheet={sheet} notes={notes} axis={url.axis} limit={session.limit} zone={zone} />
          </Suspense>
        </PanelBoundary>
      )}
      <ContextStrip sheet={sheet} url={url} zone={zone} change={change} />
      {TELEMETRY_PANELS.map((kind) => (
        <PanelBoundary key={kind.id} name={kind.title}>
          <TelemetryPanel kind={kind} sheet={sheet} session={session} axis={url.axis} zone={zone} />
        </PanelBoundary>
      ))}
    </Crosshair>
  );
}

function isTrouble({ kind }: SessionEvent): boolean {
  return kind === 'thrash' || kind === 'cache_storm';
}

/** Input in one stroke, output in dashes: both are named where they end. */
function sumTraces({ sums, frame }: Sheet): ThinTrace[] {
  return sums.map(({ id, segments }) => ({
    id,
    d: segmentPath(segments, frame),
    stroke: 'var(--ink)',
    strokeWidth: 1,
    ...(id === 'output' ? { dash: '4 2' } : {}),
  }));
}

function agentTraces({ agents, frame }: Sheet): ThinTrace[] {
  return agents.map(({ id, segments }) => ({
    id,
    d: segmentPath(segments, frame),
    stroke: 'var(--ink3)',
    strokeWidth: 1,
  }));
}
