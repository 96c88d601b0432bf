'use client';
import { useState } from 'react';
import { DEFAULT_THRESHOLDS } from '@/core/accounting/thresholds';
import { ConnectSteps } from '../../connect/connect-steps';
import { useLive } from '../../data/live-provider';
import { useClock } from '../../data/use-clock';
import { useLiveStatus } from '../../data/use-live-status';
import { formatStopwatch } from '../../format/format-duration';
import { formatPercent } from '../../format/format-percent';
import { StateGlyph } from '../../ui/glyphs';
import { StateLabel } from '../../ui/state-label';
import { BarcodeCaption } from './barcode';
import { BarcodeLabels, BarcodeSvg } from './barcode-plot';
import { TraceSpecimen } from './trace-specimen';

/** Without sessions no project has its own bounds: these are the defaults. */
const LEGEND = [
  ['nominal', `below ${formatPercent(DEFAULT_THRESHOLDS.elevated)}`],
  ...(['elevated', 'warning', 'critical', 'redlined'] as const).map(
    (state) => [state, `from ${formatPercent(DEFAULT_THRESHOLDS[state])}`] as const,
  ),
  ['unknown', 'no reading yet'],
] as const;

export interface FirstVisitProps {
  folderPrefix: string;
  dataPrefix: string;
  origin: string;
}

/** The fleet before its first turn: how to connect a runner, and how to read the fleet. */
export function FirstVisit(props: FirstVisitProps) {
  return (
    <div className="page-x">
      <section aria-labelledby="barcode" className="relative h-[106px] border-b border-hair pt-[34px]">
        <BarcodeCaption>Pressure now. Each session will be a tick here.</BarcodeCaption>
        <BarcodeSvg bounds={DEFAULT_THRESHOLDS} code={null} />
        <BarcodeLabels bounds={DEFAULT_THRESHOLDS} coloured={false} />
      </section>
      <div className="grid gap-x-[32px] lg:grid-cols-[400px_minmax(0,1fr)] xl:min-h-[calc(100vh-154px)]">
        <div className="pt-[28px] pb-[32px] lg:border-r lg:border-hair lg:pr-[32px]">
          <h1 className="display pb-[14px] leading-[50px]">No runner is connected yet.</h1>
          <p className="pb-[20px] text-ink2">
            Connect one and its first turn appears here within a second. Nothing leaves this machine.
          </p>
          <ConnectSteps {...props} />
          <Waiting />
        </div>
        <div className="pt-[28px] pb-[32px] max-lg:border-t max-lg:border-hair">
          <h2 id="specimen-title" className="text-title">
            How to read the trace
          </h2>
          <p className="pb-[32px] text-small text-ink2">A drawn example, turn by turn</p>
          <TraceSpecimen />
          <ul className="mt-[40px] grid grid-cols-6 gap-y-[16px] border-t border-hair pt-[16px] max-xl:grid-cols-3 max-md:grid-cols-2">
            {LEGEND.map(([state, text]) => (
              <li key={state}>
                <StateLabel state={state} hang />
                <span className="block pl-[18px] text-small text-ink2">{text}</span>
              </li>
            ))}
          </ul>
        </div>
      </div>
    </div>
  );
}

function Waiting() {
  const { clock } = useLive();
  const [since] = useState(() => clock.now());
  const elapsed = useClock((now) => formatStopwatch(now - since));
  const live = useLiveStatus().status === 'live';
  return (
    <p className="mt-[24px] flex items-center gap-[8px] border-t border-ink pt-[12px]">
      <span className="text-ink2">
        <StateGlyph state="unknown" />
      </span>
      {live ? 'Waiting for the first turn' : 'Connecting to the server'}
      <span className="num ml-auto text-small text-ink2">{elapsed}</span>
    </p>
  );
}
