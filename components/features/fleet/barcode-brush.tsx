'use client';
import { type PointerEvent, useRef } from 'react';
import { AXIS_END, type FleetQuery } from '../../sessions/fleet-query';

type Range = FleetQuery['range'];

interface BarcodeBrushProps {
  range: Range;
  preview: (range: Range) => void;
  choose: (range: Range) => void;
  /** Pixels from the plot's left edge; null: the pointer left. */
  hover: (x: number | null) => void;
  press: (x: number) => void;
}

/** A drag shorter than this is a press, pixels. */
const PULL_PX = 4;

const clamp = (percent: number) => Math.min(AXIS_END, Math.max(0, Math.round(percent)));
/** Null: an empty range, or the whole axis. */
const rangeOf = (one: number, other: number): Range => {
  const from = clamp(Math.min(one, other));
  const to = clamp(Math.max(one, other));
  return from === to || (from === 0 && to === AXIS_END) ? null : { from, to };
};
const place = (percent: number) => `${(percent / AXIS_END) * 100}%`;

/** Selects a range of pressure by dragging, or with the arrow keys on its two edges. */
export function BarcodeBrush({ range, preview, choose, hover, press }: BarcodeBrushProps) {
  const pull = useRef<{ startX: number; pulled: boolean } | null>(null);
  const { from, to } = range ?? { from: 0, to: AXIS_END };

  function xOf({ currentTarget, clientX }: PointerEvent): number {
    const { left, width } = currentTarget.getBoundingClientRect();
    return Math.min(width, Math.max(0, clientX - left));
  }
  function pulledRange(event: PointerEvent, startX: number): Range {
    const perPx = AXIS_END / event.currentTarget.clientWidth;
    return rangeOf(startX * perPx, xOf(event) * perPx);
  }

  return (
    <>
      {range === null ? null : (
        <div
          className="pointer-events-none absolute inset-y-0 border-x border-ink bg-ink/6"
          style={{ left: place(from), right: place(AXIS_END - to) }}
        />
      )}
      <div
        className="absolute -inset-y-[4px] inset-x-0 cursor-crosshair touch-pan-y"
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          pull.current = { startX: xOf(event), pulled: false };
        }}
        onPointerMove={(event) => {
          const x = xOf(event);
          const current = pull.current;
          if (current === null) return hover(x);
          if (!current.pulled && Math.abs(x - current.startX) < PULL_PX) return;
          current.pulled = true;
          hover(null);
          preview(pulledRange(event, current.startX));
        }}
        onPointerUp={(event) => {
          const current = pull.current;
          if (current === null) return;
          if (current.pulled) choose(pulledRange(event, current.startX));
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
      {/* Sliders for the keyboard. */}
      {(
        [
          ['Lowest', from],
          ['Highest', to],
        ] as const
      ).map(([which, percent]) => (
        <input
          key={which}
          type="range"
          max={AXIS_END}
          aria-label={`${which} pressure shown`}
          value={percent}
          aria-valuetext={percent === AXIS_END ? 'no upper bound' : `${percent} %`}
          className={`pointer-events-none absolute top-[13px] h-[18px] w-[9px] -translate-x-1/2 appearance-none border border-ink bg-paper [&::-moz-range-thumb]:invisible [&::-webkit-slider-thumb]:invisible ${range === null ? 'opacity-0 focus-visible:opacity-100' : ''}`}
          style={{ left: place(percent) }}
          onChange={({ target: { valueAsNumber: at } }) =>
            choose(
              which === 'Lowest' ? rangeOf(Math.min(at, to - 1), to) : rangeOf(from, Math.max(at, from + 1)),
            )
          }
          onKeyDown={(event) => {
            if (event.key === 'Escape') choose(null);
          }}
        />
      ))}
    </>
  );
}
