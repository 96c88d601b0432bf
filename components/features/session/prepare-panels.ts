/** The panels under the barogram: what each turn spent, and the sums so far. Telemetry, never part of pressure. Pure. */
import type { SeriesPoint } from '@/core/api/series';
import type { Session } from '@/core/api/session';
import { type AxisKind, pointX } from '../../charts/chart-scale';
import { type ChartLayout, plotFrame } from '../../charts/plot-frame';

interface PanelSide {
  name: string;
  /** Tokens of one point: of a turn, or the sum of a bucket's turns. */
  pick: (point: SeriesPoint) => number;
  /** Tokens of the session up to and including the point; null: not known, or not shown. */
  total: (point: SeriesPoint) => number | null;
  inTotal: (session: Session) => number;
}

const KINDS = [
  {
    id: 'cache',
    /** Subject of an error message. */
    title: 'Cache reads and writes',
    note: 'telemetry only, not in pressure',
    empty: 'No cache reads or writes were reported.',
    sides: [
      sideOf('cache reads', 'cacheRead', (point) => point.totalCacheRead),
      sideOf('cache writes', 'cacheCreation', (point) => point.totalCacheCreation),
    ],
  },
  {
    id: 'tokens',
    title: 'Tokens per turn',
    note: 'cached input left out',
    empty: 'No input or output was reported.',
    sides: [sideOf('input', 'input'), sideOf('output', 'output')],
  },
] as const;

function sideOf(
  name: string,
  count: 'input' | 'output' | 'cacheRead' | 'cacheCreation',
  total: PanelSide['total'] = () => null,
): PanelSide {
  return { name, pick: (point) => point[count], total, inTotal: ({ totals }) => totals.main[count] };
}

/** The strip of contexts with the gap above it, pixels. */
const STRIP_HEIGHT = 28;
export const PANEL_GAP = 12;
const MARGIN = { top: 4, bottom: 1 };
/** A row of words in place of a panel that would be empty as long as the session is. */
const EMPTY_HEIGHT = 20;
const HEADROOM = 1.12;
/** Neither side becomes so low that its line of sums could not be seen. */
const SMALLEST_SHARE = 0.2;

export type Panel = ReturnType<typeof preparePanels>[number];

interface PanelsInput {
  session: Session;
  points: readonly SeriesPoint[];
  axis: AxisKind;
  layout: ChartLayout;
  width: number;
  xDomain: [number, number];
  top: number;
}

export function preparePanels({ session, points, axis, layout, width, xDomain, top }: PanelsInput) {
  let bottom = top + STRIP_HEIGHT;
  return KINDS.map((kind) => {
    const isEmpty = kind.sides.every((side) => side.inTotal(session) === 0);
    const plotHeight = isEmpty ? 0 : layout.panelHeights[kind.id];
    const panelTop = bottom + PANEL_GAP;
    const height = isEmpty ? EMPTY_HEIGHT : MARGIN.top + plotHeight + MARGIN.bottom + layout.panelWords;
    bottom = panelTop + height;
    const sides = kind.sides.map((side) => ({ ...side, ...prepareSide(points, axis, side) }));
    const span =
      Math.max(
        sides.reduce((sum, { peak }) => sum + peak, 0),
        1,
      ) * HEADROOM;
    const [up = 0, down = 0] = sides.map(({ peak }) => Math.max(peak * HEADROOM, span * SMALLEST_SHARE));
    return {
      ...kind,
      isEmpty,
      /** Pixels from the top of the sheet; the words beneath a plot lie inside. */
      top: panelTop,
      bottom,
      height,
      plotTop: panelTop + MARGIN.top,
      plotBottom: panelTop + MARGIN.top + plotHeight,
      /** With a y scale of its own, on the sheet's x axis. */
      frame: plotFrame({
        width,
        margin: { left: layout.left, right: layout.right, ...MARGIN },
        plotHeight,
        xDomain,
        yDomain: [-down, up],
      }),
      /** Above the line, and below it. */
      sides,
      /** Whether a stick may be the mean of several turns. */
      averaged: points.some((point) => point.turns > 1),
    };
  });
}

function prepareSide(points: readonly SeriesPoint[], axis: AxisKind, side: PanelSide) {
  // Tokens per turn; the mean over the turns of a bucket.
  const sticks = points
    .filter((point) => side.pick(point) > 0 && point.turns > 0)
    .map((point) => ({ x: pointX(point, axis), y: side.pick(point) / point.turns }));
  const totals = points.flatMap((point) => {
    const y = side.total(point);
    return y === null ? [] : [{ x: pointX(point, axis), y }];
  });
  const end = totals.at(-1)?.y ?? 0;
  const peak = Math.max(0, ...sticks.map(({ y }) => y));
  return {
    sticks,
    peak,
    /** A round value at or below the peak, labelled on the axis; 0: nothing to label. */
    tick: roundDown(peak),
    /** The sum so far after each point, as a share of the last one; empty where it is not shown. */
    sums: end > 0 ? totals.map(({ x, y }) => ({ x, y: y / end })) : [],
  };
}

/** The largest round value at or below the peak: 150 000 for 157 000. */
function roundDown(peak: number): number {
  if (peak < 1) return 0;
  const power = 10 ** Math.floor(Math.log10(peak));
  const round = [7.5, 5, 2.5, 2, 1.5].find((share) => peak / power >= share) ?? 1;
  return Math.round(round * power);
}

/** Tokens of both sides beside a panel: of the turns on a zoomed sheet, of the lines' ends, or of the session. */
export function panelAmounts(
  { sides }: { sides: readonly PanelSide[] },
  points: readonly SeriesPoint[],
  session: Session,
  isWhole: boolean,
): { words: [before: string, after: string]; amounts: number[] } {
  if (!isWhole) {
    const amounts = sides.map((side) => points.reduce((sum, point) => sum + side.pick(point), 0));
    return { words: ['these turns: ', ''], amounts };
  }
  const last = points.at(-1);
  const totals = sides.map((side) => (last === undefined ? null : side.total(last)));
  const amounts = totals.filter((total) => total !== null);
  if (amounts.length === sides.length) return { words: ['lines: ', ' so far'], amounts };
  return { words: ['', ' in total'], amounts: sides.map((side) => side.inTotal(session)) };
}
