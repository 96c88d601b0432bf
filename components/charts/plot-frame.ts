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
  left: number;
  right: number;
  plotHeight: number;
  panelHeights: { cache: number; tokens: number };
  /** Height of the text below a panel; 0: the text is beside the panel. */
  panelWords: number;
}

export function chartLayout(width: number): ChartLayout {
  if (width < 720) {
    const panelHeights = { cache: 84, tokens: 64 };
    return { narrow: true, left: 36, right: 18, plotHeight: 264, panelHeights, panelWords: 36 };
  }
  return {
    narrow: false,
    left: 44,
    right: 168,
    plotHeight: width > 1800 ? 520 : 360,
    panelHeights: { cache: 84, tokens: 80 },
    panelWords: 0,
  };
}
