/** Prepare the panels below the barogram, which show the tokens of each turn. Pressure never includes these tokens. */
import type { SeriesPoint } from '@/core/api/series';
import type { Session } from '@/core/api/session';
import type { ChartScale } from '../../charts/chart-scale';
import { type ChartLayout, plotFrame } from '../../charts/plot-frame';
import { roundDown } from '../../charts/prepare-axes';

/** `count`: tokens of a point, which is a turn or a bucket. `total`: sum up to the point; null: the side has no sum. */
interface PanelSide {
  name: string;
  count: 'input' | 'output' | 'cacheRead' | 'cacheCreation';
  total: 'totalCacheRead' | 'totalCacheCreation' | null;
}

const KINDS = [
  {
    id: 'cache',
    title: 'Cache reads and writes',
    note: 'telemetry only, not in pressure',
    empty: 'No cache reads or writes were reported.',
    sides: [
      { name: 'cache reads', count: 'cacheRead', total: 'totalCacheRead' },
      { name: 'cache writes', count: 'cacheCreation', total: 'totalCacheCreation' },
    ],
  },
  {
    id: 'tokens',
    title: 'Tokens per turn',
    note: 'without cached input',
    empty: 'No input or output was reported.',
    sides: [
      { name: 'input', count: 'input', total: null },
      { name: 'output', count: 'output', total: null },
    ],
  },
] as const;

/** Height of the strip of contexts and of the gap above the strip, pixels. */
const STRIP_HEIGHT = 28;
export const PANEL_GAP = 12;
const MARGIN = { top: 4, bottom: 1 };
/** Height of the text that replaces an empty panel. */
const EMPTY_HEIGHT = 20;
const HEADROOM = 1.12;
/** Minimum share of a side, so that its small sticks stay visible. */
const SMALLEST_SHARE = 0.2;

export type Panel = ReturnType<typeof preparePanels>[number];

interface PanelsInput {
  session: Session;
  /** Whether to show input and output below the cache panel. */
  tokens: boolean;
  points: readonly SeriesPoint[];
  scale: ChartScale;
  layout: ChartLayout;
  width: number;
  xDomain: [number, number];
  top: number;
}

export function preparePanels({ session, tokens, points, scale, layout, width, xDomain, top }: PanelsInput) {
  let bottom = top + STRIP_HEIGHT;
  return KINDS.filter(({ id }) => tokens || id !== 'tokens').map((kind) => {
    const kindSides: readonly PanelSide[] = kind.sides;
    const isEmpty = kindSides.every(({ count }) => session.totals.main[count] === 0);
    const plotHeight = isEmpty ? 0 : layout.panelHeights[kind.id];
    const panelTop = bottom + PANEL_GAP;
    const height = isEmpty ? EMPTY_HEIGHT : MARGIN.top + plotHeight + MARGIN.bottom + layout.panelWords;
    bottom = panelTop + height;
    const sides = kindSides.map((side) => prepareSide(points, scale, side));
    const span =
      Math.max(
        1,
        sides.reduce((sum, { peak }) => sum + peak, 0),
      ) * HEADROOM;
    const [up = 0, down = 0] = sides.map(({ peak }) => Math.max(peak * HEADROOM, span * SMALLEST_SHARE));
    return {
      ...kind,
      isEmpty,
      /** Pixels from the top of the sheet. The panel includes the words beneath its plot. */
      top: panelTop,
      bottom,
      height,
      plotTop: panelTop + MARGIN.top,
      plotBottom: panelTop + MARGIN.top + plotHeight,
      /** The panel has its own y scale and the sheet's x axis. */
      frame: plotFrame({
        width,
        margin: { left: layout.left, right: layout.right, ...MARGIN },
        plotHeight,
        xDomain,
        yDomain: [-down, up],
      }),
      sides,
      averaged: points.some((point) => point.turns > 1),
    };
  });
}

function prepareSide(points: readonly SeriesPoint[], scale: ChartScale, side: PanelSide) {
  const sticks = points
    .filter((point) => point[side.count] > 0 && point.turns > 0)
    .map((point) => ({ x: scale.x(point), y: point[side.count] / point.turns }));
  const peak = Math.max(0, ...sticks.map(({ y }) => y));
  return {
    ...side,
    sticks,
    peak,
    /** A round value at or below the peak, labelled on the axis; 0: nothing to label. */
    tick: roundDown(peak),
  };
}

export function totalOf({ total }: PanelSide, point: SeriesPoint): number | null {
  return total && point[total];
}

/** Tokens of both sides: of the visible turns if zoomed, else the last sums, else the totals of the session. */
export function panelAmounts(
  { sides }: { sides: readonly PanelSide[] },
  points: readonly SeriesPoint[],
  session: Session,
  isWhole: boolean,
): number[] {
  if (!isWhole) {
    return sides.map(({ count }) => points.reduce((sum, point) => sum + point[count], 0));
  }
  const last = points.at(-1);
  const amounts = sides.map((side) => last && totalOf(side, last)).filter((total) => total != null);
  return amounts.length === sides.length ? amounts : sides.map(({ count }) => session.totals.main[count]);
}
