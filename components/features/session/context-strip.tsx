'use client';
import { useRef, useState } from 'react';
import { Overlay } from '../../charts/overlay';
import { tornEdgePath } from '../../charts/torn-edge';
import { formatInstant } from '../../format/format-time';
import { formatExact } from '../../format/format-tokens';
import { joinClose } from './barogram-marks';
import type { Sheet } from './prepare-sheet';
import { stripWords, zoomOf } from './prepare-strip';
import { useSessionPage } from './session-page';

/** Minimum width of a context with a button, pixels. */
const SMALLEST_BUTTON = 14;
/** Minimum width of a context with a mark at its end; a narrower context ends with a stroke. */
const SMALLEST_TEAR = 24;
const SMALLEST_GAP = 2;
const SMALLEST_RANGE = 24;

const clamp = (value: number, low: number, high: number) => Math.max(low, Math.min(value, high));

/** The contexts of a session: a click zooms to one, the handles move the range. */
export function ContextStrip({ sheet }: { sheet: Sheet }) {
  const { stripFrame: frame, strip, layout, domain } = sheet;
  const endX = strip.at(-1)?.right ?? frame.left;
  const [from, to] = [domain.from, domain.to].map((x) => clamp(frame.x(x), frame.left, endX));
  const hasHandles = !sheet.isWhole || (!layout.narrow && endX - frame.left >= SMALLEST_RANGE);
  const most = sheet.points.reduce((turns, point) => Math.max(turns, point.turns), 1);
  return (
    <div className="relative mt-[4px] h-[24px]" style={{ width: frame.width }}>
      <div
        className="absolute top-0 h-[24px] border-y border-ink2"
        style={{ left: frame.left, width: Math.max(0, endX - frame.left) }}
      />
      {strip.map((context) => (
        <ContextButton
          key={context.index}
          context={context}
          layout={layout}
          handles={hasHandles ? [from ?? 0, to ?? 0] : []}
        />
      ))}
      <Separators sheet={sheet} />
      {hasHandles && from !== undefined && to !== undefined ? (
        <>
          {/* The strip outside the zoomed range is dimmed. */}
          {[
            [frame.left, from],
            [to, endX],
          ].map(([left = 0, right = 0]) => (
            <div
              key={left}
              className="pointer-events-none absolute top-0 h-[24px] bg-paper opacity-60"
              style={{ left, width: right - left }}
            />
          ))}
          <Handle side="from" x={from} sheet={sheet} />
          <Handle side="to" x={to} sheet={sheet} />
        </>
      ) : null}
      {layout.narrow ? null : (
        <p
          className="absolute -top-[2px] text-small leading-[calc(15px*var(--ui))] text-ink2"
          style={{ left: frame.right + 16, width: layout.right - 16 }}
        >
          drag to zoom
          {most === 1 ? null : (
            <span className="block" title="A point has the lowest, highest and last value of its turns">
              up to <span className="num">{formatExact(most)}</span> turns a point
            </span>
          )}
        </p>
      )}
    </div>
  );
}

/** Space between a context's button and its ends, pixels. */
const INSET = 5;

interface ContextButtonProps {
  context: Sheet['strip'][number];
  layout: Sheet['layout'];
  /** x of the handles, which the words avoid. */
  handles: readonly number[];
}

function ContextButton({ context, layout, handles }: ContextButtonProps) {
  const { url, change, zone } = useSessionPage();
  const { index, fromAt, toAt, turns, peak, end, left, right } = context;
  const width = right - left;
  if (width < SMALLEST_BUTTON) return null;
  const edges = [left, ...handles.filter((x) => x > left && x < right), right];
  const [start, room] = edges
    .slice(1)
    .map((edge, at) => [edges[at] ?? left, edge - (edges[at] ?? left)] as const)
    .reduce((widest, part) => (part[1] > widest[1] ? part : widest));
  const words = stripWords(context, (room - 2 * INSET - 8) / layout.type);
  const ended = end === null ? 'open' : `ended by a ${end.kind}`;
  const peakWords = peak === null ? 'peak unknown' : `peak ${formatExact(peak)} tokens`;
  const sentence = `Context ${index}: ${formatInstant(fromAt, zone)} to ${formatInstant(toAt, zone)}, ${ended}; ${formatExact(turns)} turns, ${peakWords}`;
  const isFirst = index === 0;
  const isOpen = end === null;
  return (
    <button
      type="button"
      onClick={() => change(zoomOf(context, url).change)}
      title={sentence}
      aria-label={`Zoom to ${sentence}`}
      className={`absolute top-[3px] h-[18px] overflow-hidden border border-hair2 pr-[4px] text-left text-small leading-[16px] whitespace-nowrap hover:border-ink focus-visible:z-10 ${isOpen ? 'bg-sunken' : 'bg-paper'}`}
      style={{
        paddingLeft: start - left + (isFirst || start > left ? 8 : 5),
        left: left + (isFirst ? 0 : INSET),
        width: width - (isFirst || isOpen ? INSET : 2 * INSET),
      }}
    >
      {words.name} <span className="ml-[4px] text-ink2">{words.rest}</span>
    </button>
  );
}

/** A small mark of each boundary, or a stroke after a narrow context. */
function Separators({ sheet: { stripFrame: frame, strip } }: { sheet: Sheet }) {
  const ends = strip.flatMap(({ left, right: x, end }) =>
    end === null ? [] : [{ ...end, x, isNarrow: x - left < SMALLEST_TEAR }],
  );
  const narrow = ends.filter(({ isNarrow }) => isNarrow).map(({ x }) => x);
  return (
    <Overlay width={frame.width} height={24}>
      <path
        d={joinClose(narrow, SMALLEST_GAP, (x) => `M${x} 4V20`)}
        stroke="var(--ink3)"
        strokeWidth={0.75}
      />
      {ends.map(({ id, kind, x, isNarrow }) => {
        if (isNarrow) return null;
        if (kind === 'compaction') {
          const edge = { from: 2, to: 22, direction: 'vertical' } as const;
          const tear = [-3, 3].map((offset) =>
            tornEdgePath({ ...edge, seed: `${id}${offset}`, at: x + offset }),
          );
          return <path key={id} d={tear.join('')} stroke="var(--ink3)" strokeWidth={0.75} fill="none" />;
        }
        const rules = kind === 'restart' ? `M${x - 1.75} 2V22M${x + 1.75} 2V22` : `M${x} 2V22`;
        const dash = kind === 'clear' ? '1 3' : undefined;
        return <path key={id} d={rules} stroke="var(--ink)" strokeDasharray={dash} />;
      })}
    </Overlay>
  );
}

const STEP_SHARE = 0.02;

/** One end of the range: moved by pointer or by arrow keys. */
function Handle({ side, x, sheet }: { side: 'from' | 'to'; x: number; sheet: Sheet }) {
  const { url, change, zone } = useSessionPage();
  const { stripFrame, firstAt, endAt } = sheet;
  const [dragX, setDragX] = useState<number | null>(null);
  const startedAt = useRef(0);
  const from = url.from ?? firstAt;
  const to = url.to ?? endAt;
  const at = side === 'from' ? from : to;
  const move = (wanted: number) => {
    const [low, high] = side === 'from' ? [firstAt, to - 1000] : [from + 1000, endAt];
    const next = clamp(wanted, Math.min(low, high), high);
    if (side === 'from') change({ from: next <= firstAt ? null : next });
    else change({ to: next >= endAt ? null : next });
  };
  const onKeyDown = (event: React.KeyboardEvent) => {
    const step = (endAt - firstAt) * STEP_SHARE * (event.shiftKey ? 5 : 1);
    const wanted = {
      ArrowLeft: at - step,
      ArrowDown: at - step,
      ArrowRight: at + step,
      ArrowUp: at + step,
      Home: firstAt,
      End: endAt,
    }[event.key];
    if (wanted === undefined) return;
    move(wanted);
    event.preventDefault();
  };
  return (
    <div
      role="slider"
      tabIndex={0}
      aria-label={side === 'from' ? 'Start of the range' : 'End of the range'}
      aria-valuemin={firstAt}
      aria-valuemax={endAt}
      aria-valuenow={Math.round(at)}
      aria-valuetext={formatInstant(at, zone)}
      className="absolute top-[2px] z-10 h-[20px] w-[8px] -translate-x-1/2 cursor-ew-resize touch-none border border-ink bg-paper"
      style={{ left: dragX ?? x }}
      onKeyDown={onKeyDown}
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
        if (dragX !== null && Math.abs(dragX - x) > 2) move(sheet.timeAt(stripFrame.invertX(dragX)));
        setDragX(null);
      }}
      onPointerCancel={() => setDragX(null)}
    >
      <span className="mx-auto mt-[5px] block h-[8px] w-px bg-ink" />
    </div>
  );
}
