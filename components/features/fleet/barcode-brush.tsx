'use client';
import { type KeyboardEvent, type PointerEvent, useRef } from 'react';
import { AXIS_END, type FleetQuery } from '../../sessions/fleet-query';

type Range = FleetQuery['range'];

interface BarcodeBrushProps {
  range: Range;
  preview: (range: Range) => void;
  choose: (range: Range) => void;
  /** Pixels from the plot's left edge; null: the pointer left. */
  hover: (x: number | null) => void;
  /** A press without a pull. */
  press: (x: number) => void;
}

/** Below this a pull is a press, pixels. */
const PULL_PX = 4;

const widened = (from: number, to: number): Range => {
  const low = Math.max(0, Math.round(Math.min(from, to)));
  const high = Math.min(AXIS_END, Math.round(Math.max(from, to)));
  return low >= high || (low === 0 && high === AXIS_END) ? null : { from: low, to: high };
};

/** Draws a range of pressure over the barcode: by pulling, or with the arrow keys on its two edges. */
export function BarcodeBrush({ range, preview, choose, hover, press }: BarcodeBrushProps) {
  const pull = useRef<{ startX: number; pulled: boolean } | null>(null);

  function place(event: PointerEvent<HTMLElement>): { x: number; percent: number; perPx: number } {
    const rect = event.currentTarget.getBoundingClientRect();
    const x = Math.min(rect.width, Math.max(0, event.clientX - rect.left));
    const perPx = AXIS_END / rect.width;
    return { x, percent: x * perPx, perPx };
  }
  function pulledRange(event: PointerEvent<HTMLElement>): Range {
    const { percent, perPx } = place(event);
    return widened((pull.current?.startX ?? 0) * perPx, percent);
  }

  return (
    <>
      {range === null ? null : (
        <div
          className="pointer-events-none absolute inset-y-0 border-x border-ink bg-ink/6"
          style={{
            left: `${(range.from / AXIS_END) * 100}%`,
            right: `${100 - (range.to / AXIS_END) * 100}%`,
          }}
        />
      )}
      <div
        className="absolute -inset-y-[4px] inset-x-0 cursor-crosshair touch-pan-y"
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          pull.current = { startX: place(event).x, pulled: false };
        }}
        onPointerMove={(event) => {
          const { x } = place(event);
          const current = pull.current;
          if (current === null) return hover(x);
          if (!current.pulled && Math.abs(x - current.startX) < PULL_PX) return;
          current.pulled = true;
          hover(null);
          preview(pulledRange(event));
        }}
        onPointerUp={(event) => {
          const current = pull.current;
          if (current === null) return;
          if (current.pulled) choose(pulledRange(event));
          else if (range !== null) choose(null);
          else press(current.startX);
          pull.current = null;
        }}
        onPointerCancel={() => {
          pull.current = null;
          preview(null);
        }}
        onPointerLeave={() => hover(null)}
      />
      <Edge
        name="Lowest pressure shown"
        percent={range?.from ?? 0}
        active={range !== null}
        move={(percent) =>
          choose(widened(Math.min(percent, (range?.to ?? AXIS_END) - 1), range?.to ?? AXIS_END))
        }
        clear={() => choose(null)}
      />
      <Edge
        name="Highest pressure shown"
        percent={range?.to ?? AXIS_END}
        active={range !== null}
        move={(percent) => choose(widened(range?.from ?? 0, Math.max(percent, (range?.from ?? 0) + 1)))}
        clear={() => choose(null)}
      />
    </>
  );
}

interface EdgeProps {
  name: string;
  percent: number;
  active: boolean;
  move: (percent: number) => void;
  clear: () => void;
}

const STEPS: Record<string, number> = {
  ArrowLeft: -1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowUp: 1,
  PageDown: -10,
  PageUp: 10,
  Home: -AXIS_END,
  End: AXIS_END,
};

/** One edge of the range, for the keyboard: arrows move it by 1 %, page keys by 10 %. */
function Edge({ name, percent, active, move, clear }: EdgeProps) {
  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'Escape') return clear();
    const step = STEPS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    move(Math.min(AXIS_END, Math.max(0, percent + step)));
  }
  return (
    <div
      role="slider"
      tabIndex={0}
      aria-label={name}
      aria-valuemin={0}
      aria-valuemax={AXIS_END}
      aria-valuenow={percent}
      aria-valuetext={percent === AXIS_END ? 'no upper bound' : `${percent} %`}
      className={`pointer-events-none absolute inset-y-[13px] w-[9px] -translate-x-1/2 border border-ink bg-paper ${active ? '' : 'opacity-0 focus-visible:opacity-100'}`}
      style={{ left: `${(percent / AXIS_END) * 100}%` }}
      onKeyDown={onKeyDown}
    />
  );
}
