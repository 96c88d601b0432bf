'use client';
import { Suspense, useMemo, useRef } from 'react';
import type { SubAgent } from '@/core/api/series';
import { AlertSpans } from '../../alerts/alert-spans';
import { between } from '../../charts/chart-scale';
import { ThinTraces } from '../../charts/overlay';
import { placeAgentNames } from '../../charts/prepare-agents';
import { TraceLines } from '../../charts/trace-lines';
import { segmentPath } from '../../charts/trace-segments';
import { useClock } from '../../data/use-clock';
import { formatCount } from '../../format/format-tokens';
import { lazyPart } from '../../ui/lazy-part';
import { PanelBoundary } from '../../ui/panel-boundary';
import { useMeasuredWidth } from '../../ui/use-measured-width';
import { BarogramMarks } from './barogram-marks';
import { ContextStrip } from './context-strip';
import { Crosshair } from './crosshair';
import { prepareSheet, type Sheet } from './prepare-sheet';
import { ReadMoment } from './read-moment';
import { useSessionPage } from './session-page';
import { SHEET_DRAWING } from './sheet-controls';
import { TelemetryPanel } from './telemetry-panel';

// Most sessions have no notes.
const NoteMarks = lazyPart(() => import('../../notes/note-marks'));

/** Steps of the clock over the width of a live sheet: about half a pixel each. */
const SHEET_STEPS = 2_400;
const NO_AGENTS: readonly SubAgent[] = [];

export function SessionSheet() {
  const { data, session, url, notes, zone } = useSessionPage();
  const box = useRef<HTMLDivElement>(null);
  const width = useMeasuredWidth(box);
  const { points, overlay, boundaries, spans, events } = data;
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
        : prepareSheet({
            session,
            points,
            overlay,
            subAgents,
            boundaries,
            spans,
            events,
            url,
            now,
            zone,
            width,
            windowHeight: window.innerHeight,
          }),
    [session, points, overlay, subAgents, boundaries, spans, events, url, now, zone, width],
  );
  return (
    <section aria-label="Barogram" aria-busy={data.loading} data-state={session.state} className="min-w-0">
      <div
        ref={box}
        className="min-h-[480px] md:min-h-[clamp(484px,calc(100vh-416px),544px)] min-[120rem]:min-h-[640px] min-[180rem]:min-h-[980px]"
      >
        {sheet === null ? null : points.length === 0 ? (
          <p className="py-[48px] text-ink2">
            {session.turnCount === 0
              ? 'No turns yet.'
              : `${formatCount(session.turnCount, 'turn')} of sub-agents, none of the main conversation yet.`}{' '}
            The trace starts with the first turn, without a reload.
          </p>
        ) : (
          <Crosshair sheet={sheet}>
            <div
              id={SHEET_DRAWING}
              className="relative"
              style={{ height: sheet.frame.height }}
              aria-hidden="true"
            >
              <ThinTraces {...thinTraces(sheet)} />
              <TraceLines {...sheet} />
              <BarogramMarks sheet={sheet} selectedId={url.event} />
              <AlertSpans
                session={session.id}
                frame={sheet.frame}
                now={now}
                xAt={(time) => (url.axis === 'time' ? time : between(points, 't', time, 'n'))}
              />
            </div>
            {notes.list.length === 0 && notes.picked === null ? null : (
              <PanelBoundary name="The notes on the trace">
                <Suspense>
                  <NoteMarks sheet={sheet} notes={notes} axis={url.axis} limit={session.limit} zone={zone} />
                </Suspense>
              </PanelBoundary>
            )}
            {notes.picked === null ? null : <ReadMoment sheet={sheet} point={notes.picked} />}
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

/** Traces of sub-agents, named at their ends, and of input (solid) and output (dashed). */
function thinTraces({ agents, sums, frame, marks, layout }: Sheet): React.ComponentProps<typeof ThinTraces> {
  const names = placeAgentNames(
    agents,
    frame,
    marks.map(({ x }) => x),
    layout.type,
  );
  const traces = [
    ...agents.map((agent) => ({ ...agent, stroke: 'var(--ink3)' })),
    ...sums.map((sum) => ({ ...sum, stroke: 'var(--ink)', dash: sum.id === 'output' ? '4 2' : undefined })),
  ].map(({ segments, ...trace }) => ({ ...trace, d: segmentPath(segments, frame), strokeWidth: 1 }));
  return { frame, traces, names };
}
