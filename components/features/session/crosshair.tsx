'use client';
/**
 * The crosshair over all charts of the sheet, and what the pointer does there: hover reads a turn, a click
 * opens the boundary under it, a drag zooms. It owns its own state, so that moving draws no chart again.
 */
import { useEffect, useMemo, useState } from 'react';
import type { SeriesPoint } from '@/core/api/series';
import { pointX, toUnit } from '../../charts/chart-scale';
import { CrosshairMark, CrosshairSlider } from '../../charts/crosshair-slider';
import { useCrosshair } from '../../charts/use-crosshair';
import { formatClock } from '../../format/format-time';
import { formatTokenChange, formatTokens } from '../../format/format-tokens';
import { describePoint } from './describe-point';
import { timeBetween, turnKeys, turnStandingAt } from './nearest-point';
import { PanelReadout } from './panel-readout';
import type { Sheet } from './prepare-sheet';
import type { SessionUrl } from './session-url';

interface CrosshairProps {
  sheet: Sheet;
  url: SessionUrl;
  zone: string;
  limit: number | null;
  change: (change: Partial<SessionUrl>) => void;
  /** The turn under the crosshair; null: it is nowhere. */
  onMoment: (point: SeriesPoint | null) => void;
  /** A press on an empty place of the plot; null: outside it. */
  onPick: (point: SeriesPoint | null) => void;
  children: React.ReactNode;
}

const CLICK_REACH = 8;
const DRAG_STARTS = 4;

export function Crosshair(props: CrosshairProps) {
  const { sheet, url, zone, limit, change, onMoment, onPick, children } = props;
  const { frame, panels, points, layout } = sheet;
  const drawn = panels.filter(({ isEmpty }) => !isEmpty);
  const panelsTop = panels[0]?.top ?? frame.bottom;
  const [drag, setDrag] = useState<{ from: number; to: number } | null>(null);
  const places = useMemo(
    () => ({ keys: turnKeys(points), xs: points.map((point) => pointX(point, url.axis)) }),
    [points, url.axis],
  );
  const rest = url.at === null ? null : turnStandingAt(points, url.at);
  const crosshair = useCrosshair(places, rest);
  const { index } = crosshair;
  const point = index === null ? undefined : points[index];
  const x = point ? frame.x(pointX(point, url.axis)) : 0;

  useEffect(() => onMoment(point ?? null), [point, onMoment]);

  const place = (event: React.PointerEvent<HTMLElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const inPlot = ({ x: px, y: py }: { x: number; y: number }) =>
    px >= frame.left && px <= frame.right && (py <= frame.bottom || py >= panelsTop);
  const finish = (event: React.PointerEvent<HTMLElement>) => {
    // Only the primary button.
    if (event.button !== 0) return;
    const at = place(event);
    if (drag && Math.abs(drag.to - drag.from) > DRAG_STARTS) {
      const from = timeBetween(points, url.axis, frame.invertX(Math.min(drag.from, drag.to)));
      const to = timeBetween(points, url.axis, frame.invertX(Math.max(drag.from, drag.to)));
      if (to > from) change({ from, to: to >= sheet.endAt ? null : to });
    } else if (inPlot(at)) {
      const hit = sheet.marks.filter((mark) => Math.abs(mark.x - at.x) <= CLICK_REACH);
      hit.sort((a, b) => Math.abs(a.x - at.x) - Math.abs(b.x - at.x));
      const eventId = hit[0]?.boundary.eventId ?? null;
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
        if (inPlot(at)) crosshair.moveTo(frame.invertX(at.x));
        else crosshair.leave(event);
      }}
      onPointerLeave={crosshair.leave}
      onPointerDown={(event) => {
        const at = place(event);
        if (event.button !== 0 || !inPlot(at)) return;
        // A finger does not hover: it reads where it touches.
        if (event.pointerType === 'touch') return crosshair.moveTo(frame.invertX(at.x));
        event.currentTarget.setPointerCapture(event.pointerId);
        setDrag({ from: at.x, to: at.x });
      }}
      onPointerUp={finish}
      onPointerCancel={() => setDrag(null)}
    >
      {children}
      {points.length === 0 ? null : (
        <CrosshairSlider
          frame={frame}
          crosshair={crosshair}
          count={points.length}
          label="Turn under the crosshair"
          min={points[0]?.n ?? 0}
          max={points.at(-1)?.n ?? 0}
          now={(point ?? points.at(-1))?.n ?? 0}
          text={describePoint(point ?? points.at(-1) ?? null, limit, (at) => formatClock(at, zone))}
          onEscape={() => {
            if (url.at !== null) change({ at: null });
          }}
        />
      )}
      <svg
        width={frame.width}
        height={panels.at(-1)?.bottom ?? frame.height}
        className="pointer-events-none absolute inset-0"
        aria-hidden="true"
      >
        {drag && Math.abs(drag.to - drag.from) > DRAG_STARTS ? (
          <rect
            x={Math.min(drag.from, drag.to)}
            y={frame.top}
            width={Math.abs(drag.to - drag.from)}
            height={frame.bottom - frame.top}
            fill="var(--ink)"
            opacity={0.08}
          />
        ) : null}
        {point ? (
          <>
            {drawn.map((panel) => (
              <line
                key={panel.id}
                x1={x}
                x2={x}
                y1={panel.plotTop}
                y2={panel.plotBottom}
                stroke="var(--ink)"
                strokeWidth={0.75}
              />
            ))}
            <Readout sheet={sheet} point={point} index={index ?? 0} x={x} zone={zone} limit={limit} />
            {drawn.map((panel) => (
              <PanelReadout
                key={panel.id}
                panel={panel}
                point={point}
                x={x}
                right={layout.narrow ? frame.right - 120 : frame.right}
              />
            ))}
          </>
        ) : null}
      </svg>
    </div>
  );
}

interface ReadoutProps {
  sheet: Sheet;
  point: SeriesPoint;
  index: number;
  x: number;
  zone: string;
  limit: number | null;
}

/** Two lines beside the crosshair: when and which turn, what it read and what it added. */
function Readout({ sheet, point, index, x, zone, limit }: ReadoutProps) {
  const { frame, unit, points } = sheet;
  const before = points[index - 1];
  const value = toUnit(point.used, point.limit ?? limit, unit);
  const y = value === null ? frame.bottom : Math.max(frame.top, frame.y(value));
  const left = x > frame.right - 150;
  const textX = x + (left ? -8 : 8);
  const textY = Math.min(y + 26, frame.bottom - 22);
  const change =
    point.used !== null && before && before.used !== null && before.context === point.context
      ? point.used - before.used
      : null;
  const turns = point.turns > 1 ? `turns ${point.n - point.turns + 1}–${point.n}` : `turn ${point.n}`;
  return (
    <>
      <CrosshairMark x={x} top={frame.top} bottom={frame.bottom} ys={value === null ? [] : [y]} />
      <text x={textX} y={textY} textAnchor={left ? 'end' : 'start'} className="chart-label chart-halo">
        <tspan className="chart-num">{formatClock(point.t, zone)}</tspan> {turns}
      </text>
      <text x={textX} y={textY + 16} textAnchor={left ? 'end' : 'start'} className="chart-label chart-halo">
        {point.used === null ? (
          <tspan className="chart-quiet">{point.untracked ? 'not tracked' : 'unknown'}</tspan>
        ) : (
          <>
            <tspan className="chart-num chart-strong">
              {point.estimated ? '≈' : ''}
              {formatTokens(point.used, { fine: true })}
              {unit === 'percent' && value !== null ? ` · ${Math.floor(value + 1e-9)}\u00a0%` : ''}
            </tspan>
            {change === null || change === 0 ? null : (
              <tspan dx={5} className="chart-num chart-quiet">
                {formatTokenChange(change)}
              </tspan>
            )}
          </>
        )}
      </text>
    </>
  );
}
