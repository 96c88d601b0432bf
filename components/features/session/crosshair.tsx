'use client';
/**
 * The crosshair over all charts of the sheet. Hover reads a turn, a click opens the boundary under it, a drag zooms.
 * The component owns this state, so that a move redraws no chart.
 */
import { useEffect, useMemo, useState } from 'react';
import type { SeriesPoint } from '@/core/api/series';
import { CrosshairMark, CrosshairSlider } from '../../charts/crosshair-slider';
import { Label, Overlay } from '../../charts/overlay';
import { useCrosshair } from '../../charts/use-crosshair';
import { formatPercent } from '../../format/format-percent';
import { formatClock } from '../../format/format-time';
import { formatCount, formatExact, formatTokenChange, formatTokens } from '../../format/format-tokens';
import type { Sheet } from './prepare-sheet';
import { MomentPreview } from './read-moment';
import { useSessionPage } from './session-page';
import { turnKeys } from './sheet-places';
import { PanelReadout } from './telemetry-panel';

const CLICK_REACH = 8;
const DRAG_STARTS = 4;

export function Crosshair({ sheet, children }: { sheet: Sheet; children: React.ReactNode }) {
  const { url, change, notes, zone } = useSessionPage();
  const { point: onMoment, pick: onPick } = notes;
  const { frame, panels, points, layout, session, scale, timeAt } = sheet;
  const [drag, setDrag] = useState<{ from: number; to: number } | null>(null);
  const places = useMemo(() => ({ keys: turnKeys(points), xs: points.map(scale.x) }), [points, scale]);
  const { at } = url;
  const resting = at === null ? undefined : (points.findLast(({ t }) => t <= at) ?? points[0]);
  const crosshair = useCrosshair(places, resting?.n ?? null);
  const point = crosshair.index === null ? undefined : points[crosshair.index];
  const last = points.at(-1);
  const x = point ? frame.x(scale.x(point)) : 0;
  const [left = 0, right = 0] = drag ? [drag.from, drag.to].sort((a, b) => a - b) : [];
  const isDragged = right - left > DRAG_STARTS;

  useEffect(() => onMoment(point ?? null), [point, onMoment]);

  const place = (event: React.PointerEvent<HTMLElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    const at = { x: event.clientX - box.left, y: event.clientY - box.top };
    const isBeside = at.y > frame.bottom && at.y < (panels[0]?.top ?? frame.bottom);
    return { ...at, isInPlot: at.x >= frame.left && at.x <= frame.right && !isBeside };
  };
  const finish = (event: React.PointerEvent<HTMLElement>) => {
    if (event.button !== 0) return;
    const at = place(event);
    if (isDragged) {
      const [from, to] = [timeAt(frame.invertX(left)), timeAt(frame.invertX(right))];
      if (to > from) change({ from, to: to >= sheet.endAt ? null : to });
    } else if (at.isInPlot) {
      const away = (mark: { x: number }) => Math.abs(mark.x - at.x);
      const [hit] = sheet.marks.filter((mark) => away(mark) <= CLICK_REACH).sort((a, b) => away(a) - away(b));
      const eventId = hit?.boundary.eventId ?? null;
      if (eventId !== null) change({ event: eventId });
      else if (point) onPick(point);
    } else {
      onPick(null);
      if (event.pointerType === 'touch') crosshair.clear();
    }
    setDrag(null);
  };
  return (
    <div
      className="relative touch-pan-y select-none"
      onPointerMove={(event) => {
        const at = place(event);
        if (drag) setDrag({ ...drag, to: Math.max(frame.left, Math.min(at.x, frame.right)) });
        if (at.isInPlot) crosshair.moveTo(frame.invertX(at.x));
        else crosshair.leave(event);
      }}
      onPointerLeave={crosshair.leave}
      onPointerDown={(event) => {
        const at = place(event);
        if (event.button !== 0 || !at.isInPlot) return;
        // A touch cannot hover, so it reads a turn at once.
        if (event.pointerType === 'touch') return crosshair.moveTo(frame.invertX(at.x));
        event.currentTarget.setPointerCapture(event.pointerId);
        setDrag({ from: at.x, to: at.x });
      }}
      onPointerUp={finish}
      onPointerCancel={() => setDrag(null)}
    >
      {children}
      {last && (
        <CrosshairSlider
          frame={frame}
          crosshair={crosshair}
          count={points.length}
          label="Turn under the crosshair"
          min={points[0]?.n ?? 0}
          max={last.n}
          now={(point ?? last).n}
          text={describePoint(point ?? last, session.limit, zone)}
          onEscape={() => {
            if (url.at !== null) change({ at: null });
          }}
        />
      )}
      <Overlay width={frame.width} height={panels.at(-1)?.bottom ?? frame.height}>
        {isDragged ? (
          <path
            d={`M${left} ${frame.top}H${right}V${frame.bottom}H${left}z`}
            fill="var(--ink)"
            opacity={0.08}
          />
        ) : null}
        {point && (
          <>
            <Readout sheet={sheet} point={point} x={x} />
            {panels.map((panel) =>
              panel.isEmpty ? null : (
                <PanelReadout
                  key={panel.id}
                  panel={panel}
                  point={point}
                  x={x}
                  isLeft={x > frame.right - (layout.narrow ? 250 : 130)}
                />
              ),
            )}
          </>
        )}
      </Overlay>
      {point && !isDragged ? <MomentPreview sheet={sheet} point={point} /> : null}
    </div>
  );
}

function describePoint(point: SeriesPoint, limit: number | null, zone: string): string {
  const { t, n, context, untracked, used, estimated, cacheRead } = point;
  const when = `${formatClock(t, zone)}, turn ${n}, context ${context}`;
  if (untracked || used === null) return `${when}: ${untracked ? 'not tracked' : 'unknown'}`;
  const whole = point.limit ?? limit;
  const share = whole === null || whole <= 0 ? '' : `, ${formatPercent(used / whole)}`;
  const reads = cacheRead > 0 ? `; ${formatExact(cacheRead)} cache reads` : '';
  return `${when}: ${estimated ? 'about ' : ''}${formatCount(used, 'token')}${share}${reads}`;
}

function Readout({ sheet, point, x }: { sheet: Sheet; point: SeriesPoint; x: number }) {
  const { zone } = useSessionPage();
  const { frame, scale, points } = sheet;
  const { n, turns, used, context, untracked, estimated } = point;
  const before = points[points.indexOf(point) - 1];
  const value = scale.y(used);
  const y = value === null ? frame.bottom : Math.max(frame.top, frame.y(value));
  const isLeft = x > frame.right - 150;
  const text = { x: x + (isLeft ? -8 : 8), isLeft, className: 'chart-halo' };
  const textY = Math.min(y + 26, frame.bottom - 22);
  const change = before?.context === context && used !== null ? used - (before.used ?? used) : 0;
  return (
    <>
      <CrosshairMark frame={frame} x={x} values={[value]} />
      <Label {...text} y={textY}>
        <tspan className="chart-num">{formatClock(point.t, zone)}</tspan>{' '}
        {turns > 1 ? `turns ${n - turns + 1}–${n}` : `turn ${n}`}
      </Label>
      <Label {...text} y={textY + 16}>
        {used === null ? (
          <tspan className="chart-quiet">{untracked ? 'not tracked' : 'unknown'}</tspan>
        ) : (
          <>
            <tspan className="chart-num chart-strong">
              {estimated ? '≈' : ''}
              {formatTokens(used, { fine: true })}
              {scale.unit === 'percent' && value !== null ? ` · ${Math.floor(value + 1e-9)}\u00a0%` : ''}
            </tspan>
            {change === 0 ? null : (
              <tspan dx={5} className="chart-num chart-quiet">
                {formatTokenChange(change)}
              </tspan>
            )}
          </>
        )}
      </Label>
    </>
  );
}
