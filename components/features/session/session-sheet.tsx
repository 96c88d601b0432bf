'use client';
import { Suspense, useMemo, useRef } from 'react';
import '../../charts/chart.css';
import type { SubAgent } from '@/core/api/series';
import { placeAgentNames } from '../../charts/prepare-agents';
import { type ThinTrace, ThinTraces } from '../../charts/thin-traces';
import { TraceLines } from '../../charts/trace-lines';
import { segmentPath } from '../../charts/trace-segments';
import { useClock } from '../../data/use-clock';
import { lazyPart } from '../../ui/lazy-part';
import { PanelBoundary } from '../../ui/panel-boundary';
import { useMeasuredWidth } from '../../ui/use-measured-width';
import { BarogramMarks } from './barogram-marks';
import { ContextStrip } from './context-strip';
import { Crosshair } from './crosshair';
import { prepareSheet, type Sheet } from './prepare-sheet';
import { useSessionPage } from './session-page';
import { SHEET_DRAWING } from './sheet-export';
import { TelemetryPanel } from './telemetry-panel';
import { TroubleMarks } from './trouble-marks';

// What most sessions have none of is read where one has it.
const NoteMarks = lazyPart(() => import('../../notes/note-marks'));

/** The paper moves in steps no eye sees: half a pixel of a sheet of this width. */
const SHEET_STEPS = 2_400;
const NO_AGENTS: readonly SubAgent[] = [];

/** Barogram, strip, cache and tokens on one x axis, under one crosshair. */
export function SessionSheet() {
  const { data, session, url, notes, zone } = useSessionPage();
  const box = useRef<HTMLDivElement>(null);
  const width = useMeasuredWidth(box);
  const { points, overlay, contexts, events } = data;
  const first = points[0]?.t ?? 0;
  const last = points.at(-1)?.t ?? first;
  const span = last - (url.from ?? first);
  const stepMs =
    session.liveness === 'live' ? Math.max(1_000, Math.ceil(span / SHEET_STEPS / 1_000) * 1_000) : 30_000;
  const now = useClock((time) => (session.liveness === 'ended' ? last : Math.floor(time / stepMs) * stepMs));
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
          <Crosshair sheet={sheet}>
            <div
              id={SHEET_DRAWING}
              className="relative"
              style={{ height: sheet.frame.height }}
              aria-hidden="true"
            >
              <ThinTraces frame={sheet.frame} traces={thinTraces(sheet)} names={namesOf(sheet)} />
              <TraceLines {...sheet} />
              <BarogramMarks sheet={sheet} selectedId={url.event} />
            </div>
            <TroubleMarks sheet={sheet} />
            {notes.list.length === 0 && notes.picked === null ? null : (
              <PanelBoundary name="The notes on the trace">
                <Suspense>
                  <NoteMarks sheet={sheet} notes={notes} axis={url.axis} limit={session.limit} zone={zone} />
                </Suspense>
              </PanelBoundary>
            )}
            <ContextStrip sheet={sheet} />
            {sheet.panels.map((panel) => (
              <PanelBoundary key={panel.id} name={panel.title}>
                <TelemetryPanel panel={panel} sheet={sheet} />
              </PanelBoundary>
            ))}
          </Crosshair>
        )}
      </div>
    </section>
  );
}

function namesOf({ agents, frame, marks }: Sheet) {
  return placeAgentNames(
    agents,
    frame,
    marks.map(({ x }) => x),
  );
}

/** Sub-agents; input in one stroke and output in dashes, named where they end. */
function thinTraces({ agents, sums, frame }: Sheet): ThinTrace[] {
  return [...agents, ...sums].map((trace) => ({
    id: trace.id,
    d: segmentPath(trace.segments, frame),
    stroke: 'amount' in trace ? 'var(--ink)' : 'var(--ink3)',
    strokeWidth: 1,
    ...('amount' in trace && trace.id === 'output' ? { dash: '4 2' } : {}),
  }));
}
