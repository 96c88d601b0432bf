'use client';
import { useMemo, useRef, useState } from 'react';
import '../../charts/chart.css';
import type { History, HistoryPoint } from '@/core/api/history';
import { hatchPath } from '../../charts/torn-edge';
import { px } from '../../charts/trace-path';
import { useNow } from '../../data/use-clock';
import { useMeasuredWidth } from '../../ui/use-measured-width';
import { HistoryPanels } from './history-panels';
import { slotLabel } from './history-words';
import { PanelNotes } from './panel-notes';
import { nearestSlot, prepareHistory, type HistorySheet as Sheet, type Slot } from './prepare-history';
import { describeSlot } from './slot-table';

interface HistorySheetProps {
  history: History | null;
  range: { from: number; to: number };
  zone: string;
  pending: boolean;
  /** Points of the group under the pointer in the table. */
  pointed: readonly HistoryPoint[] | null;
  zoom: (from: number, to: number) => void;
}

/** All panels of the range under one crosshair. Hover or arrow keys read a bucket; a drag or Enter zooms in. */
export function HistorySheet({ history, range, zone, pending, pointed, zoom }: HistorySheetProps) {
  const box = useRef<HTMLDivElement>(null);
  const width = useMeasuredWidth(box);
  // The asked range is drawn only until the first answer: a live range moves on faster than its answers.
  const bareFrom = history === null ? range.from : 0;
  const bareTo = history === null ? range.to : 0;
  const now = useNow(MINUTE_MS);
  const sheet = useMemo(
    () =>
      width === 0
        ? null
        : prepareHistory({ history, range: { from: bareFrom, to: bareTo }, width, zone, now }),
    [history, bareFrom, bareTo, width, zone, now],
  );
  return (
    <section aria-label="History of the range" aria-busy={pending} className="min-w-0">
      <div ref={box} className="min-h-[540px]">
        {sheet === null ? null : (
          <Crosshair sheet={sheet} history={history} zone={zone} pointed={pointed} zoom={zoom} />
        )}
      </div>
    </section>
  );
}

interface CrosshairProps extends Pick<HistorySheetProps, 'history' | 'zone' | 'pointed' | 'zoom'> {
  sheet: Sheet;
}

const DRAG_STARTS = 4;
const MINUTE_MS = 60_000;

function Crosshair({ sheet, history, zone, pointed, zoom }: CrosshairProps) {
  const [hovered, setHovered] = useState<number | null>(null);
  const [drag, setDrag] = useState<{ from: number; to: number } | null>(null);
  const { slots, peak, share, tops } = sheet;
  const { frame } = peak;
  const last = slots.length - 1;
  const slot = hovered === null ? undefined : slots[Math.min(hovered, last)];
  const isDragging = drag !== null && Math.abs(drag.to - drag.from) > DRAG_STARTS;
  const bottom = tops.share + share.frame.bottom;
  const figures = slot?.point ?? history?.total ?? null;

  const placeOf = (event: React.PointerEvent<HTMLElement>) =>
    event.clientX - event.currentTarget.getBoundingClientRect().left;
  const isInside = (x: number) => x >= frame.left && x <= frame.right;
  const finish = () => {
    if (isDragging) {
      const [from, to] = [Math.min(drag.from, drag.to), Math.max(drag.from, drag.to)];
      zoom(frame.invertX(from), frame.invertX(to));
    }
    setDrag(null);
  };
  const step = (by: number) =>
    setHovered((held) => (last < 0 ? null : Math.max(0, Math.min((held ?? last) + by, last))));

  return (
    <div
      className="relative touch-pan-y select-none"
      style={{ height: sheet.height }}
      onPointerMove={(event) => {
        const x = placeOf(event);
        if (drag) setDrag({ ...drag, to: Math.max(frame.left, Math.min(x, frame.right)) });
        setHovered(isInside(x) && last >= 0 ? nearestSlot(slots, frame.invertX(x)) : null);
      }}
      onPointerLeave={() => setHovered(null)}
      onPointerDown={(event) => {
        const x = placeOf(event);
        if (event.button !== 0 || !isInside(x) || event.pointerType === 'touch') return;
        event.currentTarget.setPointerCapture(event.pointerId);
        setDrag({ from: x, to: x });
      }}
      onPointerUp={finish}
      onPointerCancel={() => setDrag(null)}
    >
      <HistoryPanels sheet={sheet} />
      {figures === null ? null : <PanelNotes sheet={sheet} figures={figures} />}
      {last < 0 ? null : (
        <div
          role="slider"
          tabIndex={0}
          aria-label="Bucket under the crosshair; Enter zooms in"
          aria-valuemin={0}
          aria-valuemax={last}
          aria-valuenow={hovered === null ? last : Math.min(hovered, last)}
          aria-valuetext={describeSlot(slot ?? (slots[last] as Slot), zone)}
          className="pointer-events-none absolute focus-visible:outline-1"
          style={{
            left: frame.left,
            top: frame.top,
            width: frame.right - frame.left,
            height: bottom - frame.top,
          }}
          onFocus={(event) => {
            if (event.currentTarget.matches(':focus-visible')) step(0);
          }}
          onBlur={() => setHovered(null)}
          onKeyDown={(event) => {
            const by = event.shiftKey ? 10 : 1;
            if (event.key === 'ArrowLeft') step(-by);
            else if (event.key === 'ArrowRight') step(by);
            else if (event.key === 'Home') step(-slots.length);
            else if (event.key === 'End') step(slots.length);
            else if (event.key === 'Escape') setHovered(null);
            else if (event.key === 'Enter' && slot) zoom(slot.from, slot.to);
            else return;
            event.preventDefault();
          }}
        />
      )}
      <svg
        width={sheet.width}
        height={sheet.height}
        className="pointer-events-none absolute inset-0 overflow-visible"
        aria-hidden="true"
      >
        {sheet.partial === null ? null : <SoFar sheet={sheet} slot={sheet.partial} bottom={bottom} />}
        {pointed === null ? null : (
          <path d={tracePath(pointed, sheet)} fill="none" stroke="var(--ink)" strokeWidth={3.5} />
        )}
        {isDragging ? (
          <rect
            x={Math.min(drag.from, drag.to)}
            y={frame.top}
            width={Math.abs(drag.to - drag.from)}
            height={bottom - frame.top}
            fill="var(--ink)"
            opacity={0.08}
          />
        ) : null}
        {slot ? <Reading sheet={sheet} slot={slot} bottom={bottom} zone={zone} /> : null}
      </svg>
    </div>
  );
}

/** The current bucket, hatched: its values may still grow. */
function SoFar({ sheet, slot, bottom }: { sheet: Sheet; slot: Slot; bottom: number }) {
  const { frame } = sheet.peak;
  const x = px(frame.x(slot.from));
  const width = px(frame.x(slot.to)) - x;
  return (
    <>
      <path
        d={hatchPath({ x, y: frame.top, width, height: bottom - frame.top, spacing: 6 })}
        stroke="var(--hair2)"
        fill="none"
      />
      <text
        x={x - 4}
        y={frame.bottom - 6}
        textAnchor="end"
        className="chart-label chart-halo"
        fill="var(--ink2)"
      >
        so far
      </text>
    </>
  );
}

/** The bucket under the crosshair as a band over all panels, with its time. */
function Reading({ sheet, slot, bottom, zone }: { sheet: Sheet; slot: Slot; bottom: number; zone: string }) {
  const { frame } = sheet.peak;
  const left = frame.x(slot.from);
  const right = frame.x(slot.to);
  const middle = (left + right) / 2;
  const isLeft = middle > (frame.left + frame.right) / 2;
  return (
    <>
      <rect
        x={left}
        y={frame.top}
        width={Math.max(1, right - left)}
        height={bottom - frame.top}
        fill="var(--ink)"
        opacity={0.07}
      />
      <path d={`M${px(middle)} ${frame.top}V${bottom}`} stroke="var(--ink)" strokeWidth={0.75} />
      <text
        x={middle}
        y={frame.top - 8}
        textAnchor={isLeft ? 'end' : 'start'}
        className="chart-label chart-num chart-halo"
      >
        {slotLabel(slot.from, slot.to, zone, slot.partial)}
      </text>
    </>
  );
}

function tracePath(points: readonly HistoryPoint[], { peak: { frame, axis } }: Sheet): string {
  return points
    .flatMap(({ from, to, peak }) =>
      peak === null
        ? []
        : [
            `M${px(frame.x(Date.parse(from)))} ${px(frame.y(Math.min(peak * 100, axis.domain[1])))}H${px(frame.x(Date.parse(to)))}`,
          ],
    )
    .join('');
}
