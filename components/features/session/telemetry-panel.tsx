'use client';
import { memo, useMemo } from 'react';
import type { SeriesPoint } from '@/core/api/series';
import type { Session } from '@/core/api/session';
import type { AxisKind } from '../../charts/chart-scale';
import { PanelDrawing } from '../../charts/panel-drawing';
import { preparePanel } from '../../charts/prepare-panel';
import { formatInstant } from '../../format/format-time';
import { formatExact, formatTokens } from '../../format/format-tokens';
import { PANEL_GAP, panelFrame } from './place-panels';
import type { Sheet } from './prepare-sheet';
import { type PanelAmounts, panelAmounts, type TelemetryPanelKind } from './telemetry-panels';

interface TelemetryPanelProps {
  kind: TelemetryPanelKind;
  sheet: Sheet;
  session: Session;
  axis: AxisKind;
  zone: string;
}

/** What the turns spent, under the barogram and on its x axis. */
export const TelemetryPanel = memo(function TelemetryPanel(props: TelemetryPanelProps) {
  const { kind, sheet, session, axis, zone } = props;
  const { visible, layout, xDomain } = sheet;
  const panel = useMemo(() => preparePanel(visible, axis, kind), [visible, axis, kind]);
  const place = sheet.panels.find(({ id }) => id === kind.id);
  if (!place) return null;
  if (place.isEmpty) {
    return (
      <p
        className="text-small leading-[20px] text-ink2"
        data-panel={kind.id}
        style={{ height: place.height, marginTop: PANEL_GAP, paddingLeft: sheet.frame.left }}
      >
        {kind.empty}
      </p>
    );
  }
  const frame = panelFrame(sheet, place, panel.domain);
  const words = (
    <Words
      kind={kind}
      averaged={panel.averaged}
      amounts={panelAmounts(kind, sheet.points, session, sheet.isWhole)}
      isNarrow={layout.narrow}
    />
  );
  return (
    <div className="relative" data-panel={kind.id} style={{ height: place.height, marginTop: PANEL_GAP }}>
      <PanelDrawing frame={frame} xDomain={xDomain} panel={panel} />
      {layout.narrow ? (
        <p className="mt-[3px] text-small leading-[15px] text-ink2">{words}</p>
      ) : (
        <div
          className="absolute top-[2px] flex flex-col text-small leading-[15px] text-ink2"
          style={{ left: frame.right + 16, width: layout.right - 16 }}
        >
          {words}
        </div>
      )}
      <PanelTable kind={kind} points={sheet.points} zone={zone} />
    </div>
  );
});

interface WordsProps {
  kind: TelemetryPanelKind;
  averaged: boolean;
  amounts: PanelAmounts;
  isNarrow: boolean;
}

function Words({ kind, averaged, amounts, isNarrow }: WordsProps) {
  const { shown, soFar, inTotal } = amounts;
  // Beside the plot each part has a line of its own; beneath it they are one sentence.
  const stop = isNarrow ? '; ' : '';
  return (
    <>
      <span>
        <span className="text-ink">{kind.up.name}</span> per turn above,{' '}
      </span>
      <span>
        <span className="text-ink">{kind.down.name}</span> below{averaged ? ' (means)' : ''}
        {stop}
      </span>
      <span>
        {kind.note}
        {stop}
      </span>
      {shown === null ? null : (
        <span>
          these turns: <Amounts of={shown} />
          {soFar === null ? '' : stop}
        </span>
      )}
      {soFar === null ? null : (
        <span>
          lines: <Amounts of={soFar} /> so far
        </span>
      )}
      {inTotal === null ? null : (
        <span>
          <Amounts of={inTotal} /> in total
        </span>
      )}
    </>
  );
}

function Amounts({ of: [up, down] }: { of: readonly [number, number] }) {
  return (
    <>
      <span className="num text-ink">{formatTokens(up)}</span>,{' '}
      <span className="num text-ink">{formatTokens(down)}</span>
    </>
  );
}

const LAST_TURNS = 20;

/** The panel as a table, for those who do not see it. */
function PanelTable({
  kind,
  points,
  zone,
}: {
  kind: TelemetryPanelKind;
  points: readonly SeriesPoint[];
  zone: string;
}) {
  const sides = [kind.up, kind.down];
  const summed = points.some((point) => kind.up.total(point) !== null);
  return (
    <div className="sr-only">
      <table>
        <caption>
          {kind.title} of the last turns on the sheet: {kind.note}
        </caption>
        <thead>
          <tr>
            {[
              'turn',
              'time',
              ...sides.map(({ name }) => name),
              ...(summed ? sides.map(({ name }) => `${name} so far`) : []),
            ].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {points.slice(-LAST_TURNS).map((point) => (
            <tr key={`${point.n} ${point.t}`}>
              <th scope="row">{point.turns > 1 ? `${point.n - point.turns + 1}–${point.n}` : point.n}</th>
              <td>{formatInstant(point.t, zone)}</td>
              {sides.map((side) => (
                <td key={side.name}>{formatExact(side.pick(point))}</td>
              ))}
              {summed
                ? sides.map((side) => {
                    const total = side.total(point);
                    return <td key={side.name}>{total === null ? 'not known' : formatExact(total)}</td>;
                  })
                : null}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
