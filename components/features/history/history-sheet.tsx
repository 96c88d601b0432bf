'use client';
import { useMemo, useRef, useState } from 'react';
import type { History } from '@/core/api/history';
import { CrosshairSlider } from '../../charts/crosshair-slider';
import { hatchPath } from '../../charts/torn-edge';
import { px } from '../../charts/trace-path';
import { useCrosshair } from '../../charts/use-crosshair';
import { useMeasuredWidth } from '../../ui/use-measured-width';
import { describeSlot } from './history-figures';
import { HistoryPanels } from './history-panels';
import { type Slot, slotLabel } from './history-words';
import { PanelNotes } from './panel-notes';
import { prepareHistory, type HistorySheet as Sheet } from './prepare-history';

interface HistorySheetProps {
  history: History | null;
  range: { from: number; to: number };
  zone: string;
  /** The server's time, milliseconds. */
  now: number;
  pending: boolean;
  zoom: (from: number, to: number) => void;
}

/** All panels of the range under one crosshair. Hover or arrow keys read a bucket; a drag or Enter zooms in. */
export function HistorySheet({ history, range: { from, to }, zone, now, pending, zoom }: HistorySheetProps) {
  const box = useRef<HTMLDivElement>(null);
  const width = useMeasuredWidth(box);
  const sheet = useMemo(
    () => (width === 0 ? null : prepareHistory({ history, from, to, width, zone, now })),
    [history, from, to, width, zone, now],
  );
  return (
    <section aria-label="History of the range" aria-busy={pending} className="min-w-0">
      <div ref={box} className="min-h-[540px]">
        {sheet === null ? null : <Crosshair sheet={sheet} history={history} zone={zone} zoom={zoom} />}
      </div>
    </section>
  );
}

interface CrosshairProps extends Pick<HistorySheetProps, 'history' | 'zone' | 'zoom'> {
  sheet: Sheet;
}

const DRAG_STARTS = 4;

function Crosshair({ sheet, history, zone, zoom }: CrosshairProps) {
  const { slots, panels, partial } = sheet;
  const middles = useMemo(() => slots.map(({ from, to }) => (from + to) / 2), [slots]);
  const crosshair = useCrosshair({ keys: middles, xs: middles });
  const [drag, setDrag] = useState<{ from: number; to: number } | null>(null);
  const slot = slots[crosshair.index ?? -1];
  const read = slot ?? slots.at(-1);
  // From the top of the first panel to the bottom of the last.
  const frame = { ...panels.peak.frame, bottom: panels.share.top + panels.share.frame.bottom };
  const isDragging = drag !== null && Math.abs(drag.to - drag.from) > DRAG_STARTS;
  const figures = slot?.point ?? history?.total ?? null;
  const placeOf = (event: React.PointerEvent<HTMLElement>) =>
    event.clientX - event.currentTarget.getBoundingClientRect().left;
  const middle = slot === undefined ? 0 : frame.x((slot.from + slot.to) / 2);
  const { top, bottom } = frame;
  const band = (left: number, right: number, opacity: number) => (
    <rect x={left} y={top} width={right - left} height={bottom - top} fill="var(--ink)" opacity={opacity} />
  );
  const isInside = (x: number) => x >= frame.left && x <= frame.right;
  return (
    <div
      className="relative touch-pan-y select-none"
      style={{ height: sheet.height }}
      onPointerMove={(event) => {
        const x = placeOf(event);
        if (drag) setDrag({ ...drag, to: Math.max(frame.left, Math.min(x, frame.right)) });
        if (isInside(x)) crosshair.moveTo(frame.invertX(x));
        else crosshair.clear();
      }}
      onPointerLeave={crosshair.clear}
      onPointerDown={(event) => {
        const x = placeOf(event);
        if (event.button !== 0 || !isInside(x) || event.pointerType === 'touch') return;
        event.currentTarget.setPointerCapture(event.pointerId);
        setDrag({ from: x, to: x });
      }}
      onPointerUp={() => {
        if (isDragging) {
          const [from, to] = [Math.min(drag.from, drag.to), Math.max(drag.from, drag.to)];
          zoom(frame.invertX(from), frame.invertX(to));
        }
        setDrag(null);
      }}
      onPointerCancel={() => setDrag(null)}
    >
      <HistoryPanels sheet={sheet} />
      {figures === null ? null : <PanelNotes sheet={sheet} figures={figures} />}
      {read === undefined ? null : (
        <CrosshairSlider
          frame={frame}
          crosshair={crosshair}
          count={slots.length}
          label="Bucket under the crosshair; Enter zooms in"
          min={0}
          max={slots.length - 1}
          now={slots.indexOf(read)}
          text={describeSlot(read, zone)}
          onEnter={() => slot && zoom(slot.from, slot.to)}
        />
      )}
      <svg
        width={sheet.width}
        height={sheet.height}
        className="pointer-events-none absolute inset-0 overflow-visible"
        aria-hidden="true"
      >
        {partial === undefined ? null : (
          <SoFar frame={frame} slot={partial} labelY={panels.peak.frame.bottom - 6} />
        )}
        {isDragging ? band(Math.min(drag.from, drag.to), Math.max(drag.from, drag.to), 0.08) : null}
        {slot === undefined ? null : (
          <>
            {band(frame.x(slot.from), Math.max(frame.x(slot.from) + 1, frame.x(slot.to)), 0.07)}
            <path d={`M${px(middle)} ${frame.top}V${frame.bottom}`} stroke="var(--ink)" strokeWidth={0.75} />
            <text
              x={middle}
              y={frame.top - 8}
              textAnchor={middle > (frame.left + frame.right) / 2 ? 'end' : 'start'}
              className="chart-label chart-num chart-halo"
            >
              {slotLabel(slot, zone)}
            </text>
          </>
        )}
      </svg>
    </div>
  );
}

interface SoFarProps {
  frame: Sheet['panels']['peak']['frame'];
  slot: Slot;
  labelY: number;
}

/** The current bucket, hatched. */
function SoFar({ frame: { top, bottom, ...frame }, slot, labelY }: SoFarProps) {
  const x = px(frame.x(slot.from));
  const width = px(frame.x(slot.to)) - x;
  return (
    <>
      <path
        d={hatchPath({ x, y: top, width, height: bottom - top, spacing: 6 })}
        stroke="var(--hair2)"
        fill="none"
      />
      <text x={x - 4} y={labelY} textAnchor="end" className="chart-label chart-halo" fill="var(--ink2)">
        so far
      </text>
    </>
  );
}
