/** The browser's records of one visit to the fleet page: tasks, time from event to paint, and time to the first rows. */
import { setTimeout as rest } from 'node:timers/promises';
import type { Browser, Page } from '@playwright/test';
import { traceTasks } from './trace-tasks';

const WATCH_MS = 10_000;
/** Pause after an action, so that the action ends before the next one. */
const PAUSE_MS = 250;

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
    benchRecords: { events: Map<number, number>; firstRowsAt: number };
  }
}

/** Runs in the page before the page's scripts. Contains no named functions, because the compiler would wrap them. */
function record(): void {
  const records = { events: new Map<number, number>(), firstRowsAt: 0 };
  window.benchRecords = records;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as PerformanceEventTiming[]) {
      // Events of one interaction share an id; hovering has no id.
      if (entry.interactionId === 0) continue;
      const longest = Math.max(records.events.get(entry.interactionId) ?? 0, entry.duration);
      records.events.set(entry.interactionId, longest);
    }
  }).observe({ type: 'event', durationThreshold: 16, buffered: true } as PerformanceObserverInit);
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
    await page.evaluate(() => window.benchRecords.events.clear());
    const interactions = await act(page);
    const tasks = await trace.end();
    const { loading = [], watching = [], acting = [] } = tasks;
    const events = await page.evaluate(() => [...window.benchRecords.events.values()]);
    while (events.length < interactions) events.push(16);
    return { loading, watching, acting, events };
  });
}

async function withPage<T>(browser: Browser, look: (page: Page) => Promise<T>): Promise<T> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB' });
  try {
    const page = await context.newPage();
    await page.addInitScript(record);
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

/** Move between rows, filter, sort, search and scroll. Returns the number of actions. */
async function act(page: Page): Promise<number> {
  let acts = 0;
  const done = async (what: Promise<void>) => {
    await what;
    acts += 1;
    await rest(PAUSE_MS);
  };
  const press = (key: string) => done(page.keyboard.press(key));
  const click = (name: RegExp | string) => done(page.getByRole('button', { name }).first().click());
  for (let walked = 0; walked < 5; walked += 1) await press('j');
  await press('Escape');
  for (const name of [/^\d+ warning$/, /^\d+ elevated$/, /^\d+ warning$/, /^\d+ elevated$/])
    await click(name);
  for (const name of ['tok/min', /^pressure/, 'next boundary']) await click(name);
  await press('/');
  for (const letter of 'work-77') await press(letter);
  await press('Escape');
  await press('Escape');
  for (let scrolled = 0; scrolled < 5; scrolled += 1) await press('PageDown');
  await press('Home');
  return acts;
}
