'use client';
import { useMemo } from 'react';
import type { StateBounds } from '@/core/api/session';
import type { PlaceFacts } from '@/core/explain/explain-fleet';
import { useLostSince } from '../../data/use-axis-time';
import { Why } from '../../explain/why';
import { formatExact } from '../../format/format-tokens';
import { STATE_WORD } from '../../ui/state-label';
import { BarcodeLabels } from './barcode-axis';
import type { Barcode } from './prepare-barcode';

interface BarcodeCaptionProps {
  /** The place of the first to go; null: none. */
  tick: PlaceFacts['tick'];
  /** Sessions without a pressure, by the word of their state. */
  unread: Barcode['unread'];
  dense: boolean;
  /** A tick may stand for more than one session. */
  crowded: boolean;
  /** Some tick is short. */
  idle: boolean;
  partial: boolean;
  empty: boolean;
  /** Where the states begin; null: sessions differ. */
  bounds: Readonly<StateBounds> | null;
}

/** The caption of the barcode, of a constant height. */
export function BarcodeCaption({
  tick,
  unread,
  dense,
  crowded,
  idle,
  partial,
  empty,
  bounds,
}: BarcodeCaptionProps) {
  const lost = useLostSince();
  const question = useMemo(() => ({ about: 'place', figure: 'barcode', facts: { tick } }) as const, [tick]);
  return (
    <>
      <h2
        id="barcode"
        className="absolute top-[9px] right-0 left-0 truncate text-small font-normal text-ink2 max-md:sr-only"
      >
        {lost !== null ? (
          <span className="text-ink">Pressure at {lost}. Connection lost, retrying automatically.</span>
        ) : empty ? (
          'Pressure now. Each session will be a tick here.'
        ) : (
          <>
            <span className="max-md:hidden">
              <Why of={question} name="and place">
                Pressure now
              </Why>
            </span>
            {partial ? ', still loading. ' : '. '}
            {dense
              ? `Calm sessions as density, from warning on ${crowded ? 'a tick is one or more' : 'each is a tick'}`
              : `Each tick is a session${idle ? ', a short one is idle' : ''}`}
            {tick === null ? '.' : '; 1, 2 and 3 go next.'}
            <span className="max-lg:hidden">{sayUnread(unread)}</span>
          </>
        )}
      </h2>
      <BarcodeLabels bounds={bounds} coloured={!empty} />
    </>
  );
}

/** ` 2 unknown, 1 not tracked: no tick.`, in the words of the counts below. */
function sayUnread({ unknown, untracked }: Barcode['unread']): string {
  const parts = [
    unknown > 0 ? `${formatExact(unknown)} ${STATE_WORD.unknown}` : '',
    untracked > 0 ? `${formatExact(untracked)} ${STATE_WORD.untracked}` : '',
  ].filter((part) => part !== '');
  return parts.length === 0 ? '' : ` Without a tick: ${parts.join(', ')}.`;
}
