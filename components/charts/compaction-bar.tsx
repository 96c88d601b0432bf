'use client';
import { useRef } from 'react';
import { formatExact, formatTokens } from '../format/format-tokens';
import { useMeasuredWidth } from '../ui/use-measured-width';
import { solveLabels } from './solve-labels';
import { hatchPath, tornEdgePath } from './torn-edge';

interface CompactionBarProps {
  seed: string;
  /** Tokens. */
  before: number;
  after: number;
  limit: number | null;
  /** What the smaller figure is, where there is room for it: `first reading after`. */
  afterWord: string;
  /** Sets the figure of what was freed, where it is more than its text. */
  freed?: (text: string) => React.ReactNode;
}

const BAR_TOP = 1;
const BAR_HEIGHT = 12;

/** Kept is ink, freed is hatch up to the torn end, the limit a tick: the motif of the chart, lying down. */
export function CompactionBar({
  seed,
  before,
  after,
  limit,
  afterWord,
  freed: setFreed,
}: CompactionBarProps) {
  const box = useRef<HTMLDivElement>(null);
  const width = useMeasuredWidth(box);
  const span = Math.max(limit === null ? before : limit, before, after) * (limit === null ? 1.02 : 1.1);
  const x = (tokens: number) => (tokens / span) * width;
  const freed = before - after;
  const places = solveLabels(
    [
      { id: 'after', y: x(after) },
      { id: 'freed', y: x((after + before) / 2) },
      { id: 'before', y: x(before) },
      ...(limit === null ? [] : [{ id: 'limit', y: x(limit) }]),
    ],
    { gap: 62, min: 46, max: Math.max(46, width - 4) },
  );
  const label = (id: string, value: React.ReactNode, word: string, strong: boolean) => (
    <p
      key={id}
      className="absolute top-[18px] -translate-x-full text-right text-small whitespace-nowrap"
      style={{ left: places.get(id) ?? 0 }}
    >
      <span className={`num block ${strong ? 'strong' : ''}`}>{value}</span>
      <span className="block text-ink2">{word}</span>
    </p>
  );
  return (
    <div ref={box} className="relative h-[54px]">
      {width === 0 ? null : (
        <>
          <svg width={width} height={18} aria-hidden="true" className="block overflow-visible">
            <line x1={0} x2={width} y1={16.5} y2={16.5} stroke="var(--hair)" />
            <rect
              x={0}
              y={BAR_TOP}
              width={x(Math.min(after, before))}
              height={BAR_HEIGHT}
              fill="var(--ink)"
            />
            {freed > 0 ? (
              <>
                <path
                  d={hatchPath({ x: x(after), y: BAR_TOP, width: x(before) - x(after), height: BAR_HEIGHT })}
                  stroke="var(--ink)"
                  strokeWidth={0.9}
                  fill="none"
                />
                <path
                  d={tornEdgePath({
                    seed,
                    from: BAR_TOP - 1,
                    to: BAR_TOP + BAR_HEIGHT + 1,
                    at: x(before),
                    direction: 'vertical',
                  })}
                  stroke="var(--ink)"
                  strokeWidth={0.9}
                  fill="none"
                />
              </>
            ) : null}
            {limit === null ? null : (
              <line x1={x(limit)} x2={x(limit)} y1={0} y2={16} stroke="var(--ink)" strokeWidth={1.5} />
            )}
          </svg>
          {label('after', formatExact(after), (places.get('after') ?? 0) > 96 ? afterWord : 'after', true)}
          {freed > 0
            ? label('freed', setFreed?.(formatExact(-freed)) ?? formatExact(-freed), 'freed', false)
            : null}
          {label('before', formatExact(before), 'before', true)}
          {limit === null ? null : label('limit', formatTokens(limit), 'limit', false)}
        </>
      )}
    </div>
  );
}
