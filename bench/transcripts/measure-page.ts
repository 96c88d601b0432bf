/**
 * What an operator waits for at the page of a very long transcript: the built server, a real browser with an empty
 * cache, from the address to the first messages one can read; then the frames while it scrolls.
 */
import { chromium, type Page } from '@playwright/test';
import { handOver, untilRead } from '../../e2e/support/hand-over';
import { BarographServer } from '../../e2e/support/server';
import { median } from '../lib/median';
import type { Random } from '../lib/random';
import { makeTranscript } from './make-transcript';

export interface PageTimes {
  /** From the address to the first messages, a run each. */
  openMs: number[];
  /** Of the frames while it scrolled: the time that 19 of 20 stayed below, median of the runs. */
  frameMs: number;
  longestFrameMs: number;
  bytes: number;
  readMs: number;
}

export interface PageOptions {
  bytes: number;
  runs: number;
  /** The browser's program. */
  browser: string;
}

const SCROLLED_FRAMES = 150;
const STEP_PX = 120;

export async function measurePage(
  words: () => string,
  random: Random,
  { bytes, runs, browser: executablePath }: PageOptions,
): Promise<PageTimes> {
  const file = Buffer.from([...makeTranscript(words, random, bytes, 'page')].join(''));
  const server = await BarographServer.start('bench-page');
  const browser = await chromium.launch({
    executablePath,
    args: process.geteuid?.() === 0 ? ['--no-sandbox'] : [],
  });
  try {
    const startedAt = performance.now();
    const { id } = await handOver(server, file, { project: 'bench', session: 'bench/page' });
    await untilRead(server, id, 900_000);
    const readMs = performance.now() - startedAt;
    const openMs: number[] = [];
    const frames: number[][] = [];
    // The first one warms the server, as the first reader of the day does.
    for (let run = 0; run <= runs; run += 1) {
      const context = await browser.newContext({ viewport: { width: 1_440, height: 900 } });
      const page = await context.newPage();
      const at = performance.now();
      await page.goto(`${server.url}/transcripts/${id}`, { waitUntil: 'commit' });
      await page
        .locator('.talk-row[data-index="0"] .said')
        .getByText(/\w+ \w+/)
        .first()
        .waitFor();
      if (run > 0) {
        openMs.push(performance.now() - at);
        frames.push(await scroll(page));
      }
      await context.close();
    }
    return {
      openMs,
      frameMs: median(
        frames.map((times) => times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? 0),
      ),
      longestFrameMs: median(frames.map((times) => Math.max(...times))),
      bytes: file.length,
      readMs,
    };
  } finally {
    await browser.close();
    await server.remove();
  }
}

/** Times between the frames while the page scrolls down as a hand does it, ms. As text: what runs here is bundled. */
function scroll(page: Page): Promise<number[]> {
  return page.evaluate<number[]>(`new Promise((resolve) => {
    const times = [];
    let last = performance.now();
    requestAnimationFrame(function next(now) {
      times.push(now - last);
      last = now;
      window.scrollBy(0, ${STEP_PX});
      if (times.length < ${SCROLLED_FRAMES}) requestAnimationFrame(next);
      else resolve(times.slice(1));
    });
  })`);
}
