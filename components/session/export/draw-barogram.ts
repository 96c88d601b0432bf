/** The barogram as SVG text: the same shapes as on the page, from the same prepared sheet. */

import type { PressureState } from '@/core/accounting/types';
import { bandOpacity, gutterBands } from '../../charts/gutter-bands';
import type { PlotFrame } from '../../charts/plot-frame';
import { placeAgentNames } from '../../charts/prepare-agents';
import { valueTickLabel } from '../../charts/prepare-axes';
import type { ChartLine } from '../../charts/prepare-lines';
import { segmentPath } from '../../charts/segment-path';
import { stepPath } from '../../charts/trace-path';
import type { TraceRow } from '../../charts/trace-segments';
import type { Sheet } from '../prepare-sheet';
import { drawBoundaries, drawFlags } from './draw-boundaries';
import { drawLabels } from './draw-labels';
import { markColour, NUMERALS, type SheetColours, stateColour } from './sheet-colours';
import { el, type Markup, words } from './svg-markup';

const LINE: Record<ChartLine['id'], { 'stroke-width': number; 'stroke-dasharray'?: string }> = {
  limit: { 'stroke-width': 1 },
  restart: { 'stroke-width': 0.75, 'stroke-dasharray': '1 3' },
  compaction: { 'stroke-width': 1.25 },
};

/** @param state the session's, for the live end and the gutter */
export function drawBarogram(sheet: Sheet, state: string, colours: SheetColours): Markup {
  const { frame } = sheet;
  return el(
    'g',
    {},
    el(
      'clipPath',
      { id: 'barograph-plot' },
      el('rect', {
        x: frame.left,
        y: frame.top - 1,
        width: frame.right - frame.left,
        height: frame.bottom - frame.top + 2,
      }),
    ),
    drawGrid(sheet, colours),
    el('g', { 'clip-path': 'url(#barograph-plot)', fill: 'none' }, ...drawTraces(sheet, state, colours)),
    drawBoundaries(sheet, colours),
    ...drawNames(sheet, colours),
    drawForecast(sheet, state, colours),
    drawFlags(sheet, colours),
    drawGutter(sheet, state, colours),
    drawLabels(sheet, colours),
  );
}

function drawGrid({ frame, xTicks, valueAxis, lines, nowX }: Sheet, colours: SheetColours): Markup {
  const across = (y: number) => ({ x1: frame.left, x2: frame.right, y1: y, y2: y });
  const along = (x: number) => ({ x1: x, x2: x, y1: frame.top, y2: frame.bottom });
  const tick = { fill: colours.ink2, ...NUMERALS };
  return el(
    'g',
    {},
    ...valueAxis.ticks.map((y) => el('line', { ...across(frame.y(y)), stroke: colours.hair })),
    ...xTicks.map(({ x }) => el('line', { ...along(frame.x(x)), stroke: colours.hair })),
    ...(nowX === null ? [] : [el('line', { ...along(nowX), stroke: colours.hair2 })]),
    el('line', { ...across(frame.bottom), stroke: colours.ink }),
    ...lines.map(({ id, y }) => el('line', { ...across(frame.y(y)), stroke: colours.ink, ...LINE[id] })),
    ...valueAxis.ticks.map((value) =>
      el(
        'text',
        { ...tick, x: frame.left - 6, y: frame.y(value) + 4, 'text-anchor': 'end' },
        words(valueTickLabel(value, valueAxis.unit)),
      ),
    ),
    ...xTicks
      .filter(({ label }) => label !== '')
      .map(({ x, label }) =>
        el('text', { ...tick, x: frame.x(x), y: frame.bottom + 18, 'text-anchor': 'middle' }, words(label)),
      ),
    ...(nowX === null
      ? []
      : [
          el(
            'text',
            { ...tick, fill: colours.ink, x: nowX, y: frame.bottom + 18, 'text-anchor': 'middle' },
            words('now'),
          ),
        ]),
  );
}

function drawTraces(sheet: Sheet, state: string, colours: SheetColours): Markup[] {
  const { frame, rows, overlayRows, agents, sums, hollow } = sheet;
  const path = (data: readonly TraceRow[] | undefined, style: Record<string, string | number>) =>
    data === undefined ? [] : [el('path', { d: rowsPath(data, frame), ...style })];
  const ink = { stroke: colours.ink, 'stroke-width': sheet.crowded ? 0.75 : 1.75 };
  return [
    ...path(overlayRows?.ink, { stroke: colours.ink3, 'stroke-width': 1 }),
    ...agents.map(({ segments }) => el('path', { d: segmentPath(segments, frame), stroke: colours.ink3 })),
    ...sums.map(({ id, segments }) =>
      el('path', {
        d: segmentPath(segments, frame),
        stroke: colours.ink,
        'stroke-dasharray': id === 'output' ? '4 2' : undefined,
      }),
    ),
    ...path(rows.unknown, { stroke: colours.ink2, 'stroke-width': 1.25, 'stroke-dasharray': '2 2' }),
    ...path(rows.idle, { stroke: colours.ink3, 'stroke-width': 1.25, 'stroke-dasharray': '1.5 2.5' }),
    ...path(rows.estimate, { ...ink, 'stroke-dasharray': '5 2' }),
    ...path(rows.ink, hollow ? { ...ink, 'stroke-width': 3.5 } : ink),
    ...(hollow ? path(rows.ink, { stroke: colours.paper, 'stroke-width': 1.5 }) : []),
    ...path(rows.live, { stroke: markColour(state, colours), 'stroke-width': 3 }),
    ...sheet.singles.map(({ x, y }) => el('line', { x1: x - 1, x2: x + 5, y1: y, y2: y, ...ink })),
  ];
}

/** Rows without a value end a piece. */
function rowsPath(rows: readonly TraceRow[], frame: PlotFrame): string {
  return stepPath(rows.map(({ x, y }) => ({ x: frame.x(x), y: y === null ? null : frame.y(y) })));
}

/** Unknown and untracked stretches, lower bounds: what is not a number has its word. */
function drawNames(
  { frame, agents, marks, unknowns, untracked, lowerBounds }: Sheet,
  colours: SheetColours,
): Markup[] {
  const quiet = { fill: colours.ink2 };
  return [
    ...unknowns.map(({ x, y, label }) => el('text', { ...quiet, x, y }, words(label))),
    ...untracked.map(({ from }) =>
      el('text', { ...quiet, x: from + 2, y: frame.bottom - 6 }, words('not tracked')),
    ),
    ...placeAgentNames(
      agents,
      frame,
      marks.map(({ x }) => x),
    ).map(({ text, x, y, isLeft }) =>
      el('text', { ...quiet, x, y, 'text-anchor': isLeft ? 'end' : undefined }, words(text)),
    ),
    ...lowerBounds.map(({ x, y }) => el('text', { x: x + 5, y: y + 15, fill: colours.ink }, words('≥'))),
  ];
}

function drawForecast({ forecast, frame }: Sheet, state: string, colours: SheetColours): Markup {
  if (forecast === null) return el('g', {});
  const stroke = forecast.held ? colours.ink3 : markColour(state, colours);
  const { meets, boundaryY } = forecast;
  return el(
    'g',
    { stroke, fill: 'none' },
    el('path', { d: forecast.fill, fill: stroke, 'fill-opacity': 0.12, stroke: 'none' }),
    el('path', { d: forecast.edges, 'stroke-width': 0.75, 'stroke-dasharray': '2 2' }),
    el('path', { d: forecast.middle }),
    ...(meets === null
      ? []
      : [
          el('path', { d: `M${meets.from} ${boundaryY}H${meets.to}`, 'stroke-width': 3.5 }),
          el(
            'text',
            {
              // A reader's own letters may be wider than ours.
              x: Math.min((meets.from + meets.to) / 2, frame.right - (forecast.label.length * 7.4) / 2 - 4),
              y: boundaryY - 7,
              'text-anchor': 'middle',
              'font-weight': 600,
              fill: colours.ink,
              stroke: 'none',
            },
            words(forecast.label),
          ),
        ]),
  );
}

function drawGutter(
  { frame, unit, valueAxis, bounds, current }: Sheet,
  state: string,
  colours: SheetColours,
): Markup {
  if (unit !== 'percent') return el('g', {});
  return el(
    'g',
    {},
    ...gutterBands(valueAxis.domain[1], bounds).map((band) =>
      el('rect', {
        x: frame.right,
        y: frame.y(band.to) + 0.5,
        width: 6,
        height: Math.max(0, frame.y(band.from) - frame.y(band.to) - 1),
        fill: colours[band.state],
        opacity: bandOpacity(band.state, state as PressureState),
      }),
    ),
    ...(current === null
      ? []
      : [
          el('path', {
            d: `M${frame.right + 7} ${frame.y(current.y)}l6 -3.5v7z`,
            fill: stateColour(current.state, colours),
          }),
        ]),
  );
}
