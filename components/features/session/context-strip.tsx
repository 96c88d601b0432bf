'use client';
import { useRef, useState } from 'react';
import { tornEdgePath } from '../../charts/torn-edge';
import { formatInstant } from '../../format/format-time';
import { formatExact } from '../../format/format-tokens';
import type { Sheet } from './prepare-sheet';
import { contextSentence, type StripContext, stripWords } from './prepare-strip';
import type { SessionUrl } from './session-url';

interface ContextStripProps {
  sheet: Sheet;
  url: SessionUrl;
  zone: string;
  change: (change: Partial<SessionUrl>) => void;
}

/** Narrower than this a context is a tick: too small to hit. */
const SMALLEST_BUTTON = 14;
/** Below this a tear's two edges would be all there is. */
const SMALLEST_TEAR = 24;
/** Lines closer than this are one. */
const SMALLEST_GAP = 2;
/** Nothing to zoom into. */
const SMALLEST_RANGE = 24;

/** The contexts of a session: a click zooms to one, the handles move the range. */
export function ContextStrip({ sheet, url, zone, change }: ContextStripProps) {
  const { stripFrame, strip, layout } = sheet;
  const zoomed = url.from !== null || url.to !== null;
  const open = strip.at(-1);
  const endX = stripFrame.x(open?.toX ?? 0);
  const choose = (context: StripContext) => {
    const chosen = url.from === context.fromAt && (url.to ?? sheet.endAt) >= context.toAt;
    if (chosen) change({ from: null, to: null });
    else change({ from: context.fromAt, to: context.endedBy === null ? null : context.toAt });
  };
  return (
    <div className="relative mt-[4px] h-[24px]" style={{ width: stripFrame.width }}>
      <div
        className="absolute top-0 h-[24px] border-y border-ink2"
        style={{ left: stripFrame.left, width: Math.max(0, endX - stripFrame.left) }}
      />
      {strip.map((context) => {
        const left = stripFrame.x(context.fromX);
        const width = stripFrame.x(context.toX) - left;
        if (width < SMALLEST_BUTTON) return null;
        const inset = 5;
        const words = stripWords(context, width - 2 * inset - 8);
        const isOpen = context.endedBy === null;
        return (
          <button
            key={context.index}
            type="button"
            onClick={() => choose(context)}
            title={contextSentence(context, (at) => formatInstant(at, zone))}
            aria-label={`Zoom to ${contextSentence(context, (at) => formatInstant(at, zone))}`}
            className={`absolute top-[3px] h-[18px] overflow-hidden border border-hair2 pr-[4px] text-left text-small whitespace-nowrap hover:border-ink focus-visible:z-10 ${isOpen ? 'bg-sunken' : 'bg-paper'} ${context.index === 0 ? 'pl-[8px]' : 'pl-[5px]'}`}
            style={{
              left: left + (context.index === 0 ? 0 : inset),
              width: width - (context.index === 0 ? inset : isOpen ? inset : 2 * inset),
            }}
          >
            {words.name} <span className="ml-[4px] text-ink2">{words.rest}</span>
          </button>
        );
      })}
      <Separators sheet={sheet} />
      {zoomed || layout.narrow || endX - stripFrame.left < SMALLEST_RANGE ? null : (
        <>
          <Handle side="from" x={stripFrame.left} sheet={sheet} url={url} zone={zone} change={change} />
          <Handle side="to" x={endX} sheet={sheet} url={url} zone={zone} change={change} />
        </>
      )}
      {zoomed ? <Window sheet={sheet} url={url} zone={zone} change={change} endX={endX} /> : null}
      {layout.narrow ? null : (
        <p
          className="absolute -top-[2px] text-small leading-[15px] text-ink2"
          style={{ left: stripFrame.right + 16, width: layout.right - 16 }}
        >
          drag to zoom
          <Thinned points={sheet.points} />
        </p>
      )}
    </div>
  );
}

/** How many turns one point of the trace represents. */
function Thinned({ points }: Pick<Sheet, 'points'>) {
  const most = points.reduce((turns, point) => Math.max(turns, point.turns), 1);
  if (most === 1) return null;
  return (
    <span className="block" title="A point holds the lowest, the highest and the last value of its turns">
      up to <span className="num">{formatExact(most)}</span> turns a point
    </span>
  );
}

/** Each boundary in its own sign, small. */
function Separators({ sheet }: { sheet: Sheet }) {
  const { stripFrame, boundaries, strip } = sheet;
  return (
    <svg
      width={stripFrame.width}
      height={24}
      className="pointer-events-none absolute inset-0"
      aria-hidden="true"
    >
      <path d={narrowPath(sheet)} stroke="var(--ink3)" strokeWidth={0.75} />
      {boundaries.map((boundary, index) => {
        const x = stripFrame.x(strip[index]?.toX ?? 0);
        const room = x - stripFrame.x(strip[index]?.fromX ?? 0);
        if (room < SMALLEST_TEAR) return null;
        if (boundary.kind === 'compaction') {
          return [-3, 3].map((offset) => (
            <path
              key={`${boundary.id}${offset}`}
              d={tornEdgePath({
                seed: `${boundary.id}${offset}`,
                from: 2,
                to: 22,
                at: x + offset,
                direction: 'vertical',
              })}
              fill="none"
              stroke="var(--ink3)"
              strokeWidth={0.75}
            />
          ));
        }
        const rules = boundary.kind === 'restart' ? [-1.75, 1.75] : [0];
        return rules.map((offset) => (
          <line
            key={`${boundary.id}${offset}`}
            x1={x + offset}
            x2={x + offset}
            y1={2}
            y2={22}
            stroke="var(--ink)"
            {...(boundary.kind === 'clear' ? { strokeDasharray: '1 3' } : {})}
          />
        ));
      })}
    </svg>
  );
}

/** Ends of contexts without room for a sign, as one path, one per pixel at most. */
function narrowPath({ stripFrame, strip }: Sheet): string {
  let path = '';
  let last = Number.NEGATIVE_INFINITY;
  for (const { fromX, toX, endedBy } of strip) {
    const x = stripFrame.x(toX);
    if (endedBy === null || x - stripFrame.x(fromX) >= SMALLEST_TEAR || x - last < SMALLEST_GAP) continue;
    last = x;
    path += `M${Math.round(x * 100) / 100} 4V20`;
  }
  return path;
}

interface HandleProps extends ContextStripProps {
  side: 'from' | 'to';
  x: number;
}

/** What lies outside the zoomed range is dimmed; its ends can be moved. */
function Window(props: ContextStripProps & { endX: number }) {
  const { sheet, endX } = props;
  const { stripFrame } = sheet;
  const from = clamp(stripFrame.x(sheet.domain.from), stripFrame.left, endX);
  const to = clamp(stripFrame.x(sheet.domain.to), stripFrame.left, endX);
  return (
    <>
      <div
        className="pointer-events-none absolute top-0 h-[24px] bg-paper opacity-60"
        style={{ left: stripFrame.left, width: from - stripFrame.left }}
      />
      <div
        className="pointer-events-none absolute top-0 h-[24px] bg-paper opacity-60"
        style={{ left: to, width: endX - to }}
      />
      <Handle {...props} side="from" x={from} />
      <Handle {...props} side="to" x={to} />
    </>
  );
}

const STEP_SHARE = 0.02;

/** One end of the range: moved by pointer or by arrow keys. */
function Handle({ side, x, sheet, url, zone, change }: HandleProps) {
  const { stripFrame, firstAt, endAt } = sheet;
  const [dragX, setDragX] = useState<number | null>(null);
  const startedAt = useRef(0);
  const at = side === 'from' ? (url.from ?? firstAt) : (url.to ?? endAt);
  const timeOf = (pixels: number) => timeAt(sheet, url, pixels);
  const move = (to: number) => {
    const low = side === 'from' ? firstAt : (url.from ?? firstAt) + 1000;
    const high = side === 'from' ? (url.to ?? endAt) - 1000 : endAt;
    const next = clamp(to, Math.min(low, high), high);
    if (side === 'from') change({ from: next <= firstAt ? null : next });
    else change({ to: next >= endAt ? null : next });
  };
  const step = (endAt - firstAt) * STEP_SHARE;
  return (
    <div
      role="slider"
      tabIndex={0}
      aria-label={side === 'from' ? 'Beginning of the range' : 'End of the range'}
      aria-valuemin={firstAt}
      aria-valuemax={endAt}
      aria-valuenow={Math.round(at)}
      aria-valuetext={formatInstant(at, zone)}
      className="absolute top-[2px] z-10 h-[20px] w-[8px] -translate-x-1/2 cursor-ew-resize touch-none border border-ink bg-paper"
      style={{ left: dragX ?? x }}
      onKeyDown={(event) => {
        const by =
          event.key === 'ArrowLeft' || event.key === 'ArrowDown'
            ? -step
            : event.key === 'ArrowRight' || event.key === 'ArrowUp'
              ? step
              : null;
        if (event.key === 'Home') move(firstAt);
        else if (event.key === 'End') move(endAt);
        else if (by !== null) move(at + by * (event.shiftKey ? 5 : 1));
        else return;
        event.preventDefault();
      }}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        startedAt.current = event.clientX - x;
        setDragX(x);
      }}
      onPointerMove={(event) => {
        if (dragX !== null)
          setDragX(clamp(event.clientX - startedAt.current, stripFrame.left, stripFrame.right));
      }}
      onPointerUp={() => {
        if (dragX !== null && Math.abs(dragX - x) > 2) move(timeOf(dragX));
        setDragX(null);
      }}
      onPointerCancel={() => setDragX(null)}
    >
      <span className="mx-auto mt-[5px] block h-[8px] w-px bg-ink" />
    </div>
  );
}

/** The time at a place on the strip; over turns, the time of the context's turn there by proportion. */
function timeAt(sheet: Sheet, url: SessionUrl, pixels: number): number {
  const value = sheet.stripFrame.invertX(pixels);
  if (url.axis === 'time') return value;
  const context = sheet.strip.find((candidate) => value <= candidate.toX) ?? sheet.strip.at(-1);
  if (!context) return sheet.firstAt;
  const span = context.toX - context.fromX || 1;
  const share = clamp((value - context.fromX) / span, 0, 1);
  return context.fromAt + share * (context.toAt - context.fromAt);
}

function clamp(value: number, low: number, high: number): number {
  return Math.max(low, Math.min(value, high));
}
