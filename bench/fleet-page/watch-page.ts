/** The browser's records of one visit to the fleet page: tasks, time from event to paint, and time to the first rows. */
import { setTimeout as rest } from 'node:timers/promises';
import type { Browser, Page } from '@playwright/test';
import { paintTimes, presses, recordEvents } from '../lib/page-events';
import { traceTasks } from './trace-tasks';

const WATCH_MS = 10_000;

export interface PageView {
  /** From the request to the painted first rows, milliseconds. */
  firstViewMs: number;
  /** From the request until all sessions are loaded, milliseconds. */
  completeMs: number;
}

export interface PageLook {
  /** Duration of every task, milliseconds: while the page loads, is idle, and is used. */
  loading: number[];
  watching: number[];
  acting: number[];
  /** Milliseconds from each key, click and pointer event to its next paint; at least 16. */
  events: number[];
}

declare global {
  interface Window {
    benchRecords: { firstRowsAt: number };
  }
}

/** Runs in the page before the page's scripts. Contains no named functions, because the compiler would wrap them. */
function record(): void {
  const records = { firstRowsAt: 0 };
  window.benchRecords = records;
  new MutationObserver((_, observer) => {
    if (document.querySelector('[data-row]') === null) return;
    observer.disconnect();
    // The second frame starts after the first is drawn.
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        records.firstRowsAt = performance.now();
      }),
    );
  }).observe(document, { childList: true, subtree: true });
}

/** Time until a new browser shows the fleet. */
export async function viewPage(browser: Browser, url: string, sessions: number): Promise<PageView> {
  return await withPage(browser, async (page) => {
    await page.goto(url, { waitUntil: 'commit' });
    const firstViewMs = await page
      .waitForFunction(() => window.benchRecords?.firstRowsAt || null)
      .then((handle) => handle.jsonValue());
    return { firstViewMs: firstViewMs ?? 0, completeMs: await waitForAll(page, sessions) };
  });
}

/** Tasks and events of the page while it loads, is idle, and is used. */
export async function watchPage(browser: Browser, url: string, sessions: number): Promise<PageLook> {
  return await withPage(browser, async (page) => {
    const trace = await traceTasks(browser, page, 'loading');
    await page.goto(url, { waitUntil: 'commit' });
    await waitForAll(page, sessions);
    await trace.enter('watching');
    await rest(WATCH_MS);
    await trace.enter('acting');
    const events = await paintTimes(page, actionsOn(page));
    const { loading = [], watching = [], acting = [] } = await trace.end();
    return { loading, watching, acting, events };
  });
}

async function withPage<T>(browser: Browser, look: (page: Page) => Promise<T>): Promise<T> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB' });
  try {
    const page = await context.newPage();
    await page.addInitScript(record);
    await page.addInitScript(recordEvents);
    return await look(page);
  } finally {
    await context.close();
  }
}

/** Milliseconds from the request until all sessions are loaded. */
async function waitForAll(page: Page, sessions: number): Promise<number> {
  const complete = await page.waitForFunction(
    (rows) => {
      const table = document.querySelector('table[aria-label="Sessions"]');
      return Number(table?.getAttribute('aria-rowcount')) > rows ? performance.now() : null;
    },
    sessions,
    { timeout: 120_000 },
  );
  return (await complete.jsonValue()) ?? 0;
}

/** Move between rows, filter, sort, search and scroll. */
function actionsOn(page: Page): (() => Promise<unknown>)[] {
  const click = (name: RegExp | string) => () => page.getByRole('button', { name }).first().click();
  return [
    ...presses(page, 'j', 5),
    ...presses(page, 'Escape'),
    ...[/^\d+ warning$/, /^\d+ elevated$/, /^\d+ warning$/, /^\d+ elevated$/].map(click),
    ...['tok/min', /^pressure/, 'next boundary'].map(click),
    ...presses(page, '/'),
    ...[...'work-77'].flatMap((letter) => presses(page, letter)),
    ...presses(page, 'Escape', 2),
    ...presses(page, 'PageDown', 5),
    ...presses(page, 'Home'),
  ];
}

/** Interactions with the page of the first session: its crosshair, lens, panels and list of events. */
export async function watchSession(browser: Browser, url: string): Promise<number[]> {
  return await withPage(browser, async (page) => {
    await page.goto(url);
    await page.locator('[data-row="0"] a').first().click();
    const crosshair = page.getByRole('slider', { name: 'Turn under the crosshair' });
    await crosshair.focus();
    const click = (name: string) => () => page.getByRole('button', { name }).first().click();
    return await paintTimes(page, [
      ...presses(page, 'ArrowLeft', 10),
      ...presses(page, 'Home'),
      ...presses(page, 'Shift+ArrowRight', 3),
      ...['Input, output', 'Follow live', 'Input, output', 'Cache-inflated'].map(click),
      ...presses(page, 'PageDown', 3),
    ]);
  });
}
