'use client';
import { useRef } from 'react';
import { formatExact, formatTokens } from '../format/format-tokens';
import { useMeasuredWidth } from '../ui/use-measured-width';
import { solveLabels } from './labels';
import { hatchPath, tornEdgePath } from './torn-edge';

interface CompactionBarProps {
  seed: string;
  before: number;
  after: number;
  limit: number | null;
  afterWord: string;
  /** Renders the freed tokens; default: plain text. */
  freed?: (text: string) => React.ReactNode;
}

const TOP = 1;
const HEIGHT = 12;

/** A compaction as a horizontal bar: kept tokens in ink, freed tokens hatched, the limit as a tick. */
export function CompactionBar({ seed, before, after, limit, afterWord, freed }: CompactionBarProps) {
  const box = useRef<HTMLDivElement>(null);
  const width = useMeasuredWidth(box);
  const span = Math.max(limit ?? before, before, after) * (limit === null ? 1.02 : 1.1);
  const x = (tokens: number) => (tokens / span) * width;
  const gone = formatExact(after - before);
  const labels = [
    { id: 'after', at: after, value: formatExact(after), strong: true },
    { id: 'freed', at: (after + before) / 2, value: freed?.(gone) ?? gone, strong: false },
    { id: 'before', at: before, value: formatExact(before), strong: true },
    ...(limit === null ? [] : [{ id: 'limit', at: limit, value: formatTokens(limit), strong: false }]),
  ];
  const wishes = labels.map(({ id, at }) => ({ id, y: x(at) }));
  const places = solveLabels(wishes, { gap: 62, min: 46, max: Math.max(46, width - 4) });
  const edge = { from: TOP - 1, to: TOP + HEIGHT + 1, direction: 'vertical' } as const;
  return (
    <div ref={box} className="relative h-[54px]">
      {width === 0 ? null : (
        <>
          <svg width={width} height={18} aria-hidden="true" className="block overflow-visible">
            <path d={`M0 16.5H${width}`} stroke="var(--hair)" />
            <rect y={TOP} width={x(Math.min(after, before))} height={HEIGHT} fill="var(--ink)" />
            {before > after ? (
              <g stroke="var(--ink)" strokeWidth={0.9} fill="none">
                <path d={hatchPath({ x: x(after), y: TOP, width: x(before) - x(after), height: HEIGHT })} />
                <path d={tornEdgePath({ ...edge, seed, at: x(before) })} />
              </g>
            ) : null}
            {limit === null ? null : <path d={`M${x(limit)} 0V16`} stroke="var(--ink)" strokeWidth={1.5} />}
          </svg>
          {labels.map(({ id, value, strong }) =>
            id === 'freed' && after >= before ? null : (
              <p
                key={id}
                className="absolute top-[18px] -translate-x-full text-right text-small whitespace-nowrap"
                style={{ left: places.get(id) ?? 0 }}
              >
                <span className={`num block ${strong ? 'strong' : ''}`}>{value}</span>
                <span className="block text-ink2">
                  {id === 'after' && (places.get(id) ?? 0) > 96 ? afterWord : id}
                </span>
              </p>
            ),
          )}
        </>
      )}
    </div>
  );
}
