/** Places of the panels below the barogram, shared by sheet, crosshair and panels. */
import { type ChartLayout, type PlotFrame, plotFrame } from '../../charts/plot-frame';
import type { TelemetryPanelKind } from './telemetry-panels';

export interface PlacedPanel {
  id: TelemetryPanelKind['id'];
  /** Pixels from the top of the sheet; the words beneath a plot lie inside. */
  top: number;
  bottom: number;
  height: number;
  plotTop: number;
  plotBottom: number;
  /** There is nothing to draw: a row of words. */
  isEmpty: boolean;
}

/** The strip with the gap above it. */
const STRIP_HEIGHT = 28;
export const PANEL_GAP = 12;
const MARGIN = { top: 4, bottom: 1 };
/** A row of words in place of a panel. */
const EMPTY_HEIGHT = 20;

/**
 * @param top height of the barogram, pixels
 * @param empty panels without anything to draw
 */
export function placePanels(
  { panelHeights, panelWords }: ChartLayout,
  top: number,
  empty: ReadonlySet<PlacedPanel['id']>,
): PlacedPanel[] {
  const panels: PlacedPanel[] = [];
  let next = top + STRIP_HEIGHT;
  for (const id of ['cache', 'tokens'] as const) {
    const start = next + PANEL_GAP;
    const isEmpty = empty.has(id);
    const height = isEmpty ? EMPTY_HEIGHT : MARGIN.top + panelHeights[id] + MARGIN.bottom + panelWords;
    const plotTop = start + MARGIN.top;
    panels.push({
      id,
      top: start,
      bottom: start + height,
      height,
      plotTop,
      plotBottom: isEmpty ? plotTop : plotTop + panelHeights[id],
      isEmpty,
    });
    next = start + height;
  }
  return panels;
}

/** A panel's plot with a y scale of its own, on the sheet's x axis. */
export function panelFrame(
  { layout, frame, xDomain }: { layout: ChartLayout; frame: PlotFrame; xDomain: [number, number] },
  place: PlacedPanel,
  yDomain: readonly [number, number],
): PlotFrame {
  return plotFrame({
    width: frame.width,
    margin: { left: layout.left, right: layout.right, ...MARGIN },
    plotHeight: place.plotBottom - place.plotTop,
    xDomain,
    yDomain,
  });
}
