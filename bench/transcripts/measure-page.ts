/**
 * The page of a very long transcript in a real browser with an empty cache: time to the first messages, time until
 * scrolling and clicking are as fast as on an idle page, and frames while the page scrolls. Measurements of a page of
 * one sentence, the lower bound, alternate with them.
 */
import { setTimeout as rest } from 'node:timers/promises';
import type { Browser, Page } from '@playwright/test';
import { median } from '../../core/forecast/median';
import { handOver, untilRead } from '../../e2e/support/hand-over';
import { BarographServer } from '../../e2e/support/server';
import { launchBrowser } from '../../scripts/browser/find-browser';
import { type Figure, quantile, timed } from '../lib/figures';
import { paintTimes, presses, recordEvents } from '../lib/page-events';
import { createRandom } from '../lib/random';
import { createWords, makeTranscript } from './make-transcript';

const RUNS = 9;
const SCROLLED_FRAMES = 150;
/** Time after which an open page is idle. */
const REST_MS = 1_500;
const STEP_PX = 120;

export async function measureTranscriptPage(megabytes: number): Promise<Figure[]> {
  const random = createRandom(13);
  const blocks = makeTranscript(createWords(random), random, megabytes * 1_000_000, 'page');
  const file = Buffer.from([...blocks].join(''));
  const server = await BarographServer.start('bench-page');
  const browser = await launchBrowser();
  try {
    const startedAt = performance.now();
    const { id } = await handOver(server, file, { project: 'bench', session: 'bench/page' });
    await untilRead(server, id, 900_000);
    const readMs = performance.now() - startedAt;
    const runs: Run[] = [];
    // The first run warms up the server and does not count.
    for (let run = 0; run <= RUNS; run += 1) runs.push(await measureRun(browser, server.url, id));
    runs.shift();
    const events = await watchTranscript(browser, `${server.url}/transcripts/${id}`);
    const figure = (name: string, pick: (run: Run) => number, most?: number): Figure => ({
      name,
      value: median(runs.map(pick)),
      unit: 'ms',
      ...(most === undefined ? {} : { most }),
    });
    return [
      figure(`Transcript of ${megabytes} MB, first messages`, (run) => run.painted, 1_000),
      // Excludes the time of the same actions on an idle page.
      figure('Until scroll and click are as fast as on an idle page', (run) => run.open, 1_000),
      figure('Scroll and click on an idle page', (run) => run.answer),
      figure('Page of one sentence', (run) => run.empty),
      figure('Frame while scrolling, 95th percentile', (run) => quantile(run.frames, 0.95)),
      figure('Longest frame while scrolling', (run) => Math.max(...run.frames)),
      { name: 'Transcript, 95th percentile to paint', value: quantile(events, 0.95), unit: 'ms', most: 100 },
      { name: 'Upload and reading by the server', value: readMs, unit: 'ms' },
    ];
  } finally {
    await browser.close();
    await server.remove();
  }
}

/** Interactions with an open transcript: compactions, find and scrolling. */
async function watchTranscript(browser: Browser, url: string): Promise<number[]> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB' });
  try {
    const page = await context.newPage();
    await page.addInitScript(recordEvents);
    await page.goto(url);
    await page.locator('main p').first().waitFor();
    await rest(REST_MS);
    const find = () => page.getByRole('searchbox', { name: 'Find in transcript' }).click();
    return await paintTimes(page, [
      ...presses(page, ']', 3),
      ...presses(page, '[', 3),
      ...presses(page, 'PageDown', 5),
      find,
      ...[...'tide'].flatMap((letter) => presses(page, letter)),
      ...presses(page, 'Enter', 3),
    ]);
  } finally {
    await context.close();
  }
}

type Run = Awaited<ReturnType<typeof measureRun>>;

async function measureRun(browser: Browser, url: string, id: string) {
  const empty = await open(browser, `${url}/nowhere`, async (page) => {
    await page.getByRole('heading', { level: 1 }).waitFor();
    // React has hydrated the top bar, so buttons work.
    await page.waitForFunction(() =>
      Object.keys(document.querySelector('header a') ?? {}).some((name) => name.startsWith('__reactProps')),
    );
  });
  await empty.page.context().close();
  let painted = 0;
  const opened = await open(browser, `${url}/transcripts/${id}`, async (page, at) => {
    const row = page.locator('.conversation-row[data-index="0"] .said');
    await row
      .getByText(/\w+ \w+/)
      .first()
      .waitFor();
    painted = performance.now() - at;
    await act(page);
  });
  await rest(REST_MS);
  const answer = await timed(() => act(opened.page));
  const frames = await scroll(opened.page);
  await opened.page.context().close();
  return { empty: empty.ms, painted, open: Math.max(painted, opened.ms - answer), answer, frames };
}

/** Scrolls by the wheel, clicks a folded part, and waits until both take effect. */
async function act(page: Page): Promise<void> {
  const before = await page.evaluate(() => window.scrollY);
  await page.mouse.move(720, 600);
  await page.mouse.wheel(0, 240);
  await page.waitForFunction((y) => window.scrollY > y, before);
  const fold = await page.locator('.conversation-row button[aria-expanded="false"]').first().elementHandle();
  await fold?.click();
  await page.waitForFunction((button) => button?.getAttribute('aria-expanded') === 'true', fold);
}

/** Open a page in a new browser context, and time it until `until` resolves. */
async function open(
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

/** Milliseconds between frames while the page scrolls down. The code is text, so that the compiler does not change it. */
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
