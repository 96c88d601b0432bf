'use client';
import { useRouter } from 'next/navigation';
import { memo, useMemo, useRef, useState } from 'react';
import { commonBounds } from '@/core/accounting/thresholds';
import type { Session } from '@/core/api/session';
import { useLostSince } from '../../data/use-live-status';
import { formatPercent } from '../../format/format-percent';
import { formatExact } from '../../format/format-tokens';
import type { FleetQuery } from '../../sessions/fleet-query';
import { STATE_WORD } from '../../ui/state-label';
import { useMeasuredWidth } from '../../ui/use-measured-width';
import { BarcodeBrush } from './barcode-brush';
import { AxisBreak, BarcodeLabels, BarcodeSvg } from './barcode-plot';
import { type Barcode as Code, isBeyond, nearestTick, prepareBarcode, type Tick } from './prepare-barcode';

interface BarcodeProps {
  sessions: ReadonlyMap<string, Session>;
  matching: ReadonlySet<string> | null;
  next: readonly string[];
  range: FleetQuery['range'];
  /** Shows a range while the viewer draws it; null: none. */
  preview: (range: FleetQuery['range']) => void;
  choose: (range: FleetQuery['range']) => void;
  /** Some sessions have not arrived yet. */
  partial: boolean;
}

/** Each session is a tick at its pressure. Drawing a range filters the fleet. */
export const Barcode = memo(function Barcode(props: BarcodeProps) {
  const { sessions, matching, next, range, preview, choose, partial } = props;
  const plot = useRef<HTMLDivElement>(null);
  const width = useMeasuredWidth(plot, 1392);
  const router = useRouter();
  const lost = useLostSince();
  const [hovered, setHovered] = useState<Tick | null>(null);
  const code = useMemo(
    () => prepareBarcode({ sessions: sessions.values(), matching, next, width }),
    [sessions, matching, next, width],
  );
  const { bounds, isShared } = useMemo(
    () => commonBounds([...sessions.values()].filter(({ id }) => matching === null || matching.has(id))),
    [sessions, matching],
  );
  const at = (x: number) => `${(x / width) * 100}%`;

  return (
    <section aria-labelledby="barcode" className="relative h-[106px]">
      <BarcodeCaption room={code.captionRoom}>
        {lost === null ? (
          <>
            Pressure now
            {sayCode(code, partial, next.length > 0)}
            <span className="max-lg:hidden">
              {sayUnread(code.unread)}
              {isShared ? '' : ' Thresholds differ by project.'}
            </span>
          </>
        ) : (
          <span className="text-ink">Pressure at {lost}. Connection lost, retrying automatically.</span>
        )}
      </BarcodeCaption>
      <BarcodeLabels bounds={bounds} />
      <div ref={plot} className="absolute inset-x-0 top-[34px] h-[44px]">
        <BarcodeSvg bounds={bounds} code={code} width={width} dashed={lost !== null}>
          {code.beyond ? (
            <svg x="100%" overflow="visible" aria-hidden="true">
              <AxisBreak />
            </svg>
          ) : null}
          {code.ranks.map(({ ranks, state, ticks, x }) => (
            <g key={ranks.join()} data-state={state} stroke="var(--mark)" strokeWidth="1.25">
              {ticks.map((tickX) => (
                <line key={tickX} x1={at(tickX)} y1="0" x2={at(tickX)} y2="-5" />
              ))}
              <line x1={at(Math.min(x, ...ticks))} y1="-5" x2={at(Math.max(x, ...ticks))} y2="-5" />
              <line x1={at(x)} y1="-5" x2={at(x)} y2="-8" />
            </g>
          ))}
        </BarcodeSvg>
        {code.ranks.map(({ ranks, x }) => (
          <span
            key={ranks.join()}
            className="num strong absolute top-[-24px] flex -translate-x-1/2 bg-paper text-small [&>*]:w-[12px] [&>*]:text-center"
            style={{ left: at(x) }}
            aria-hidden="true"
          >
            {ranks.map((rank) => (
              <span key={rank}>{rank}</span>
            ))}
          </span>
        ))}
        {hovered === null ? (
          code.over.map((tick) => (
            // At most as wide as prepare-barcode.ts reserves.
            <TickLabel
              key={tick.id}
              left={at(tick.x)}
              className="max-w-[calc(216px*var(--ui))] -translate-x-full pl-[4px]"
            >
              {isBeyond(tick) ? `${formatPercent(tick.pressure)} ${tick.title}` : tick.title}
            </TickLabel>
          ))
        ) : (
          <TickLabel
            left={at(hovered.x)}
            className={`z-10 max-w-[36ch] bg-paper px-[4px] ${hovered.x < 240 ? '' : '-translate-x-full'}`}
          >
            {hovered.title}, {formatPercent(hovered.pressure)}
          </TickLabel>
        )}
        <BarcodeBrush
          range={range}
          preview={preview}
          choose={choose}
          hover={(x) => setHovered(x === null ? null : nearestTick(code.ticks, x))}
          press={(x) => {
            const tick = nearestTick(code.ticks, x);
            if (tick !== null) router.push(`/sessions/${tick.id}`);
          }}
        />
      </div>
      {code.overUnnamed > 0 && hovered === null && code.over.length === 0 ? (
        <span className="absolute top-[9px] right-0 text-small max-md:hidden">
          {formatExact(code.overUnnamed)} over limit
        </span>
      ) : null}
    </section>
  );
});

/** A caption with less room than this is for screen readers only, pixels. */
const SHORTEST_CAPTION = 120;

/** @param room pixels before the first label in the same line; absent: the whole line */
export function BarcodeCaption({ room, children }: { room?: number; children: React.ReactNode }) {
  const look = room !== undefined && room < SHORTEST_CAPTION ? 'sr-only' : 'max-md:sr-only';
  return (
    <h2
      id="barcode"
      className={`absolute left-0 top-[9px] max-w-full truncate text-small font-normal text-ink2 ${look}`}
      style={{ maxWidth: room }}
    >
      {children}
    </h2>
  );
}

function sayCode({ bins, shadows, crowded, ticks }: Code, partial: boolean, hasNext: boolean): string {
  const what =
    bins.length + shadows.length > 0
      ? `Density: nominal and elevated sessions. Each tick is ${crowded ? 'one or more other sessions' : 'another session'}`
      : `Each tick is a session${ticks.some(({ idle }) => idle) ? ', a short one is idle' : ''}`;
  return `${partial ? ', still loading' : ''}. ${what}${hasNext ? '; 1, 2 and 3 are next.' : '.'}`;
}

/** ` Not shown: 2 unknown, 1 not tracked.` */
function sayUnread(unread: Code['unread']): string {
  const parts = (['unknown', 'untracked'] as const)
    .filter((state) => unread[state] > 0)
    .map((state) => `${formatExact(unread[state])} ${STATE_WORD[state]}`);
  return parts.length === 0 ? '' : ` Not shown: ${parts.join(', ')}.`;
}

interface TickLabelProps {
  left: string;
  className: string;
  children: React.ReactNode;
}

function TickLabel({ left, className, children }: TickLabelProps) {
  return (
    <span
      className={`pointer-events-none absolute top-[-24px] truncate text-small ${className}`}
      style={{ left }}
      aria-hidden="true"
    >
      {children}
    </span>
  );
}
