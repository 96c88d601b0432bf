/** Layout shifts of the main pages, from the request to the last data and font. */
import type { Page } from '@playwright/test';
import { claudeLines } from '@/core/scenario/claude-lines';
import { expectAccessible } from './support/expect-accessible';
import { handOver, untilRead } from './support/hand-over';
import { badge } from './support/screen';
import { expect, test } from './support/test';

/** The goal of web-vitals for a good page is 0.1. */
const MOST_SHIFT = 0.02;

declare global {
  interface Window {
    storyShifts: { value: number; moved: string[] }[];
  }
}

/** Runs in the page before its scripts. */
function record(): void {
  window.storyShifts = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEntry & {
      value: number;
      hadRecentInput: boolean;
      sources: { node: Node | null }[];
    })[]) {
      if (entry.hadRecentInput) continue;
      const moved = entry.sources.map(({ node }) =>
        node instanceof Element ? node.outerHTML.slice(0, 160) : (node?.textContent ?? ''),
      );
      window.storyShifts.push({ value: entry.value, moved });
    }
  }).observe({ type: 'layout-shift', buffered: true });
}

/** Runs in the page: whether the fallback font of app/globals.css is installed. */
function hasFallback(): Promise<boolean> {
  return new FontFace('fallback', 'local("Liberation Sans")').load().then(
    () => true,
    () => false,
  );
}

async function expectStill(page: Page): Promise<void> {
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  );
  const shifts = await page.evaluate(() => window.storyShifts);
  const sum = shifts.reduce((total, { value }) => total + value, 0);
  expect(sum, `${page.url()}: ${JSON.stringify(shifts)}`).toBeLessThanOrEqual(MOST_SHIFT);
}

const TALK = claudeLines().assistant('m1', { type: 'text', text: 'A long answer. '.repeat(40) });

test.describe('Pages stay still while they load', () => {
  for (const [width, height] of [
    [1440, 900],
    [390, 844],
  ] as const) {
    test(`at ${width} by ${height}`, async ({ page, fleet, server, project, report, runner, guard }) => {
      await page.setViewportSize({ width, height });
      await page.addInitScript(record);
      // A font that arrives after the first paint must not move anything, if the machine has the font of its size.
      const isFontLate = await page.evaluate(hasFallback);
      if (!isFontLate) guard.allow(/ERR_FAILED/);
      await page.route('**/*.woff2', async (route) => {
        if (!isFontLate) return route.abort();
        await new Promise((resolve) => setTimeout(resolve, 1_000));
        await route.continue();
      });
      const session = report('archived');
      session.read(40_000);
      await runner.flush();
      const { id } = await handOver(server, Buffer.from(`${TALK}\n`.repeat(200)), {
        project,
        session: session.key,
      });
      await untilRead(server, id);
      for (const [url, drawn] of [
        [fleet.url, '[data-row]'],
        [`${fleet.url}/sessions/${fleet.sessionId}`, '#sheet-drawing svg path'],
        [`${server.url}/transcripts/${id}`, 'main p'],
        [`${fleet.url}/events`, '[data-event]'],
        [`${fleet.url}/settings`, '[aria-labelledby="server"] dl'],
      ] as const) {
        await page.goto(url);
        await expect(page.locator(drawn).first()).toBeAttached();
        await expect(badge(page)).toHaveText(/live/);
        await page.evaluate(() => document.fonts.ready);
        await expectStill(page);
        if (url.includes('/transcripts/')) await expectAccessible(page, 'light');
      }
    });
  }
});
