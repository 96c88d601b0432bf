/** Geometry of the chart: stories check positions, not labels. */
import { expect, type Locator, type Page } from '@playwright/test';
import { sheet } from './screen';

/** Vertical positions, pixels from the top. */
export interface Plot {
  /** 0 % of the limit. */
  zero: number;
  /** 100 %. */
  limit: number;
  /** The trace after each of its steps, oldest first. */
  trace: number[];
}

/** The trace of known turns, a solid line. */
const TRACE = 'path.recharts-line-curve[stroke="var(--ink)"][stroke-width="1.75"]';
const LIMIT = 'line.recharts-reference-line-line[stroke-width="1"]';
const AXIS = '.recharts-xAxis line.recharts-cartesian-axis-line';

export function trace(page: Page): Locator {
  return sheet(page).locator(TRACE);
}

export async function readPlot(page: Page): Promise<Plot> {
  await expect(trace(page)).toHaveCount(1);
  await expect(sheet(page).locator(LIMIT)).toHaveCount(1);
  // In one call: a new turn between two calls would move the plot.
  return sheet(page).evaluate(
    (drawing, [traceOf, limitOf, axisOf]) => {
      const find = (selector: string): SVGGraphicsElement => {
        const found = drawing.querySelector<SVGGraphicsElement>(selector);
        if (found === null) throw new Error(`the sheet has no ${selector}`);
        return found;
      };
      const topOf = (element: Element) => element.getBoundingClientRect().top;
      const path = find(traceOf);
      const svgTop = path.ownerSVGElement === null ? 0 : topOf(path.ownerSVGElement);
      const numbers = (path.getAttribute('d') ?? '').match(/-?\d+(\.\d+)?(e-?\d+)?/g) ?? [];
      return {
        zero: topOf(find(axisOf)),
        limit: topOf(find(limitOf)),
        trace: numbers
          .map(Number)
          .filter((_, index) => index % 2 === 1)
          .map((y) => svgTop + y),
      };
    },
    [TRACE, LIMIT, AXIS] as const,
  );
}

/** Share of the limit at a vertical position. */
export function shareAt(plot: Plot, y: number): number {
  return (plot.zero - y) / (plot.zero - plot.limit);
}

/** End of the trace as a share of the limit. */
export async function drawnEnd(page: Page): Promise<number> {
  const plot = await readPlot(page);
  return shareAt(plot, plot.trace.at(-1) ?? plot.zero);
}
