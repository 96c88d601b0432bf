/** Where things stand on the sheet: a chart is held to its geometry, and not to the words beside it. */
import { expect, type Locator, type Page } from '@playwright/test';
import { sheet } from './screen';

/** Vertical places in pixels from the page's top; a greater one is lower. */
export interface Plot {
  /** 0 % of the limit. */
  zero: number;
  /** 100 %. */
  limit: number;
  /** The trace after each of its steps, oldest first. */
  trace: number[];
}

/** The known trace: a solid line in ink. */
export function trace(page: Page): Locator {
  return sheet(page).locator('path.recharts-line-curve[stroke="var(--ink)"][stroke-width="1.75"]');
}

function limitLine(page: Page): Locator {
  return sheet(page).locator('line.recharts-reference-line-line[stroke-width="1"]');
}

export async function readPlot(page: Page): Promise<Plot> {
  await expect(trace(page)).toHaveCount(1);
  const [bottom, limit, steps] = await Promise.all([
    sheet(page)
      .locator('.recharts-xAxis line.recharts-cartesian-axis-line')
      .first()
      .evaluate((line) => line.getBoundingClientRect().top),
    limitLine(page).evaluate((line) => line.getBoundingClientRect().top),
    trace(page).evaluate((path) => {
      const svgTop = (path as SVGPathElement).ownerSVGElement?.getBoundingClientRect().top ?? 0;
      const numbers = (path.getAttribute('d') ?? '').match(/-?\d+(\.\d+)?(e-?\d+)?/g) ?? [];
      return numbers
        .map(Number)
        .filter((_, index) => index % 2 === 1)
        .map((y) => svgTop + y);
    }),
  ]);
  return { zero: bottom, limit, trace: steps };
}

/** Share of the limit at which a vertical place stands. */
export function shareAt(plot: Plot, y: number): number {
  return (plot.zero - y) / (plot.zero - plot.limit);
}

/** Where the trace ends, as a share of the limit. */
export async function drawnEnd(page: Page): Promise<number> {
  const plot = await readPlot(page);
  return shareAt(plot, plot.trace.at(-1) ?? plot.zero);
}
