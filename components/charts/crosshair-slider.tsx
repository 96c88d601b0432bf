'use client';
import type { PlotFrame } from './plot-frame';
import type { CrosshairState } from './use-crosshair';

interface CrosshairSliderProps {
  frame: PlotFrame;
  crosshair: CrosshairState;
  count: number;
  label: string;
  min: number;
  max: number;
  now: number;
  text: string;
  onEscape?: () => void;
  onEnter?: () => void;
}

/** Keyboard control of the crosshair: arrow keys step, by ten with Shift; Home and End jump; Esc clears. */
export function CrosshairSlider(props: CrosshairSliderProps) {
  const { frame, crosshair, count, label, min, max, now, text, onEscape, onEnter } = props;
  const onKeyDown = (event: React.KeyboardEvent) => {
    const stride = event.shiftKey ? 10 : 1;
    const by = { ArrowLeft: -stride, ArrowRight: stride, Home: -count, End: count }[event.key];
    if (by !== undefined) crosshair.step(by);
    else if (event.key === 'Escape') {
      crosshair.clear();
      onEscape?.();
    } else if (event.key === 'Enter' && onEnter) onEnter();
    else return;
    event.preventDefault();
  };
  return (
    <div
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={min}
      aria-valuemax={max}
      aria-valuenow={now}
      aria-valuetext={text}
      className="pointer-events-none absolute focus-visible:outline-1"
      style={{
        left: frame.left,
        top: frame.top,
        width: frame.right - frame.left,
        height: frame.bottom - frame.top,
      }}
      onFocus={(event) => {
        if (event.currentTarget.matches(':focus-visible')) crosshair.step(0);
      }}
      onBlur={crosshair.clear}
      onKeyDown={onKeyDown}
    />
  );
}

/** The crosshair line at x (pixels), with a ring on each trace at its value. Inside an svg. */
export function CrosshairMark(props: { frame: PlotFrame; x: number; values: readonly (number | null)[] }) {
  const { frame, x, values } = props;
  const known = values.filter((value) => value !== null);
  return (
    <>
      <path d={`M${x} ${frame.top}V${frame.bottom}`} stroke="var(--ink)" strokeWidth={0.75} />
      {[...new Set(known)].map((value) => (
        <circle
          key={value}
          cx={x}
          cy={Math.max(frame.top, frame.y(value))}
          r={3}
          fill="var(--paper)"
          stroke="var(--ink)"
          strokeWidth={1.25}
        />
      ))}
    </>
  );
}
