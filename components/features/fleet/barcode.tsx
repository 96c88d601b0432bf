'use client';
import { useRouter } from 'next/navigation';
import { memo, useMemo, useRef, useState } from 'react';
import { sharedBounds } from '@/core/accounting/thresholds';
import type { Session } from '@/core/api/session';
import { useLostSince } from '../../data/use-axis-time';
import { formatPercent } from '../../format/format-percent';
import { formatExact } from '../../format/format-tokens';
import type { FleetQuery } from '../../sessions/fleet-query';
import { sessionTitle } from '../../sessions/session-names';
import { useMeasuredWidth } from '../../ui/use-measured-width';
import { AxisBreak, BarcodeAxis } from './barcode-axis';
import { BarcodeBins } from './barcode-bins';
import { BarcodeBrush } from './barcode-brush';
import { BarcodeCaption } from './barcode-caption';
import { BarcodeTicks } from './barcode-ticks';
import { nearestTick, prepareBarcode, type Tick } from './prepare-barcode';

const PLOT = 44;

interface BarcodeProps {
  sessions: ReadonlyMap<string, Session>;
  matching: ReadonlySet<string> | null;
  next: readonly string[];
  range: FleetQuery['range'];
  /** A range that is being drawn; null: none. */
  preview: (range: FleetQuery['range']) => void;
  choose: (range: FleetQuery['range']) => void;
  /** Not all sessions have arrived yet. */
  partial: boolean;
}

/** The whole fleet in one look: each session a tick at its pressure. Drawing a range filters. */
export const Barcode = memo(function Barcode({
  sessions,
  matching,
  next,
  range,
  preview,
  choose,
  partial,
}: BarcodeProps) {
  const plot = useRef<HTMLDivElement>(null);
  const width = useMeasuredWidth(plot, 1392);
  const router = useRouter();
  const lost = useLostSince();
  const [hovered, setHovered] = useState<Tick | null>(null);
  const code = useMemo(
    () => prepareBarcode({ sessions: sessions.values(), matching, next, width }),
    [sessions, matching, next, width],
  );
  const bounds = useMemo(() => sharedBounds(shownOf(sessions, matching)), [sessions, matching]);
  const first = sessions.get(next[0] ?? '');
  const title = first === undefined ? '' : sessionTitle(first);
  const firstPressure = first?.pressure ?? null;
  const tick = useMemo(
    () => (firstPressure === null ? null : { title, pressure: firstPressure, widthPx: width }),
    [title, firstPressure, width],
  );
  const at = (x: number) => `${(x / width) * 100}%`;

  return (
    <section aria-labelledby="barcode" className="relative h-[106px]">
      <BarcodeCaption
        tick={tick}
        unread={code.unread}
        dense={code.bins.length + code.shadows.length > 0}
        crowded={code.crowded}
        idle={code.ticks.some((tick) => tick.idle)}
        partial={partial}
        empty={sessions.size === 0}
        bounds={bounds}
      />
      <div ref={plot} className="absolute inset-x-0 top-[34px] h-[44px]">
        <svg width="100%" height={PLOT} className="absolute inset-0 overflow-visible" aria-hidden="true">
          <BarcodeAxis bounds={bounds} />
          <BarcodeBins bins={code.shadows} width={width} height={PLOT} fill="var(--hair2)" opacity={0.6} />
          <BarcodeBins bins={code.bins} width={width} height={PLOT} fill="var(--nominal)" opacity={0.4} />
          <BarcodeTicks ticks={code.ticks} width={width} height={PLOT} />
          <line
            x1="0"
            x2="100%"
            y1={PLOT}
            y2={PLOT}
            stroke="var(--ink)"
            {...(lost === null ? {} : { strokeDasharray: '4 3' })}
          />
          {code.beyond ? (
            <svg x="100%" overflow="visible" aria-hidden="true">
              <AxisBreak y={PLOT} />
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
        </svg>
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
        {hovered === null
          ? code.over.map(({ id, title, tickX, pressure, beyond }) => (
              <TickLabel
                key={id}
                text={beyond ? `${formatPercent(pressure)} ${title}` : title}
                left={at(tickX)}
              />
            ))
          : null}
        {hovered === null ? null : (
          <TickLabel
            text={`${hovered.title}, ${formatPercent(hovered.pressure)}`}
            left={at(hovered.x)}
            raised
            flip={hovered.x < 240}
          />
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

/** Sessions that pass the filters. */
function* shownOf(sessions: ReadonlyMap<string, Session>, matching: ReadonlySet<string> | null) {
  for (const session of sessions.values()) {
    if (matching === null || matching.has(session.id)) yield session;
  }
}

interface TickLabelProps {
  text: string;
  left: string;
  /** Above all else, on paper: the one under the pointer. */
  raised?: boolean;
  /** To the right of its tick, where there is no room at its left. */
  flip?: boolean;
}

function TickLabel({ text, left, raised = false, flip = false }: TickLabelProps) {
  return (
    <span
      className={`pointer-events-none absolute top-[-24px] max-w-[36ch] truncate text-small ${flip ? '' : '-translate-x-full'} ${raised ? 'z-10 bg-paper px-[4px]' : 'pl-[4px]'}`}
      style={{ left }}
      aria-hidden="true"
    >
      {text}
    </span>
  );
}
