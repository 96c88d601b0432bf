/**
 * The page of a very long transcript in a real browser with an empty cache: time to the first messages, time until a scroll and
 * a press are answered as quickly as at rest, and frames while it scrolls. Alternates with a page of one sentence, which is the
 * lower bound on that machine.
 */
import { setTimeout as rest } from 'node:timers/promises';
import { type Browser, chromium, type Page } from '@playwright/test';
import { handOver, untilRead } from '../../e2e/support/hand-over';
import { BarographServer } from '../../e2e/support/server';
import { median } from '../lib/median';
import type { Random } from '../lib/random';
import { makeTranscript } from './make-transcript';

export interface PageTimes {
  /** From the address to the first messages on screen, a run each. */
  paintedMs: number[];
  /**
   * From the address until a turn of the wheel had scrolled it and a pressed fold had opened, less what the same two take
   * once the page rests: browser and hand are as slow then.
   */
  openMs: number[];
  /** What the two take once it rests. */
  answerMs: number[];
  /** From the address to the sentence of a page that shows nothing else, and can be pressed. */
  emptyMs: number[];
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
/** Once it is open: whatever it still does for itself is over. */
const REST_MS = 1_500;
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
    const paintedMs: number[] = [];
    const openMs: number[] = [];
    const answerMs: number[] = [];
    const emptyMs: number[] = [];
    const frames: number[][] = [];
    // The first one warms the server, as the first reader of the day does.
    for (let run = 0; run <= runs; run += 1) {
      const empty = await timed(browser, `${server.url}/nowhere`, async (page) => {
        await page.getByRole('heading', { level: 1 }).waitFor();
        // React has taken the top bar over: what is pressed is answered.
        await page.waitForFunction(() =>
          Object.keys(document.querySelector('header a') ?? {}).some((name) =>
            name.startsWith('__reactProps'),
          ),
        );
      });
      await empty.page.context().close();
      let painted = 0;
      const opened = await timed(browser, `${server.url}/transcripts/${id}`, async (page, at) => {
        await page
          .locator('.conversation-row[data-index="0"] .said')
          .getByText(/\w+ \w+/)
          .first()
          .waitFor();
        painted = performance.now() - at;
        await act(page);
      });
      await rest(REST_MS);
      const actedAt = performance.now();
      await act(opened.page);
      const answer = performance.now() - actedAt;
      if (run > 0) {
        emptyMs.push(empty.ms);
        paintedMs.push(painted);
        openMs.push(Math.max(painted, opened.ms - answer));
        answerMs.push(answer);
        frames.push(await scroll(opened.page));
      }
      await opened.page.context().close();
    }
    return {
      paintedMs,
      openMs,
      answerMs,
      emptyMs,
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

/** Turns the wheel, presses a fold, and waits for both. */
async function act(page: Page): Promise<void> {
  const before = await page.evaluate(() => window.scrollY);
  await page.mouse.move(720, 600);
  await page.mouse.wheel(0, 240);
  await page.waitForFunction((y) => window.scrollY > y, before);
  const fold = await page.locator('.conversation-row button[aria-expanded="false"]').first().elementHandle();
  await fold?.click();
  await page.waitForFunction((button) => button?.getAttribute('aria-expanded') === 'true', fold);
}

/** A page in a browser context of its own, which knows nothing yet, and how long it took until it did what is asked. */
async function timed(
  browser: Browser,
  url: string,
  until: (page: Page, at: number) => Promise<void>,
): Promise<{ page: Page; ms: number }> {
  const context = await browser.newContext({ viewport: { width: 1_440, height: 900 } });
  const page = await context.newPage();
  const at = performance.now();
  await page.goto(url, { waitUntil: 'commit' });
  await until(page, at);
  return { page, ms: performance.now() - at };
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
