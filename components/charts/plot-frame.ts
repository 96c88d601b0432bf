export interface PlotFrame {
  width: number;
  height: number;
  left: number;
  right: number;
  top: number;
  bottom: number;
  x: (value: number) => number;
  y: (value: number) => number;
  /** Convert pixels to a value of the x axis, clamped to the plot. */
  invertX: (pixels: number) => number;
}

interface PlotFrameInput {
  width: number;
  margin: { left: number; right: number; top: number; bottom: number };
  plotHeight: number;
  xDomain: readonly [number, number];
  yDomain: readonly [number, number];
}

export function plotFrame({ width, margin, plotHeight, xDomain, yDomain }: PlotFrameInput): PlotFrame {
  const left = margin.left;
  const right = Math.max(left + 1, width - margin.right);
  const top = margin.top;
  const bottom = top + plotHeight;
  const xSpan = xDomain[1] - xDomain[0] || 1;
  const ySpan = yDomain[1] - yDomain[0] || 1;
  return {
    width,
    height: bottom + margin.bottom,
    left,
    right,
    top,
    bottom,
    x: (value) => left + ((value - xDomain[0]) / xSpan) * (right - left),
    y: (value) => bottom - ((value - yDomain[0]) / ySpan) * plotHeight,
    invertX: (pixels) => {
      const inside = Math.max(left, Math.min(pixels, right));
      return xDomain[0] + ((inside - left) / (right - left)) * xSpan;
    },
  };
}

export const AXIS_WORDS_GAP = 12;

/** Margins of the plot. Labels are at its right, or inside it on a narrow screen. */
export interface ChartLayout {
  narrow: boolean;
  /** Size of the text, as a factor of its size on a laptop. */
  type: number;
  left: number;
  right: number;
  plotHeight: number;
  panelHeights: { cache: number; tokens: number };
  /** Height of the text below a panel; 0: the text is beside the panel. */
  panelWords: number;
}

/** Factor of the text size for a drawing as wide as the page; app/globals.css has the same for the page. */
export function typeScale(width: number): number {
  return width > 2400 ? 1.4 : width > 1800 ? 1.18 : 1;
}

/** @param windowHeight with it, the plot is lower in a low window, so that the events below it are on screen */
export function chartLayout(width: number, windowHeight = Number.POSITIVE_INFINITY): ChartLayout {
  const type = typeScale(width);
  if (width < 720) {
    const panelHeights = { cache: 84, tokens: 64 };
    return { narrow: true, type, left: 36, right: 18, plotHeight: 264, panelHeights, panelWords: 36 };
  }
  return {
    narrow: false,
    type,
    left: Math.round(44 * type),
    right: Math.round(168 * type),
    plotHeight:
      type > 1.2 ? 760 : type > 1 ? 440 : Math.round(Math.max(300, Math.min(windowHeight - 600, 360))),
    panelHeights: { cache: Math.round(84 * type), tokens: Math.round(80 * type) },
    panelWords: 0,
  };
}
