/**
 * A picture of every screen at a fixed time: for a desk in both themes, for a phone in the light theme, and for a 4 K
 * wall if the screen has its own layout. `npm run test:e2e -- --project screens --update-snapshots` renews them. Each version of
 * Chromium draws letters differently, so only the version that made the pictures compares them.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from '@playwright/test';
import { projectFolder } from '@/scripts/lib/project-folder';
import { Guard, SERVER_AWAY } from './support/guard';
import { badge } from './support/screen';
import type { BarographServer } from './support/server';
import {
  feedMany,
  feedStillFleet,
  STILL_NOW,
  type StillFleet,
  startStillServer,
} from './support/still-world';
import { expect, test } from './support/test';

const PHONE = { name: '360', width: 360, height: 740 };
const DESK = { name: '1440', width: 1440, height: 900 };
/** A third of the scale shows the layout and keeps the file small. */
const WALL = { name: '3840', width: 3840, height: 2160 };
const WALL_SCALE = 1 / 3;
const NEAR_SHOTS = [
  { size: DESK, theme: 'light' },
  { size: DESK, theme: 'dark' },
  { size: PHONE, theme: 'light' },
] as const;
const FAR_SHOTS = [{ size: WALL, theme: 'dark' }] as const;

/** Edges of letters may differ slightly. */
const TOLERANCE = { maxDiffPixelRatio: 0.0004, threshold: 0.12, scale: 'device' } as const;
/** Playwright takes pictures until two are equal. On a busy machine, that is slow for ten thousand rows. */
const STEADY_MS = 60_000;

const pictures = join(projectFolder, 'e2e', 'pictures');
const madeWith = join(pictures, 'browser.txt');
test.describe.configure({ mode: 'serial' });

let server: BarographServer;
/** A server without turns. */
let empty: BarographServer;
let fleet: StillFleet;
let near: BrowserContext;
let far: BrowserContext;
const guard = new Guard();

test.beforeAll(async ({ browser }) => {
  test.setTimeout(600_000);
  if (whyNot(browser) !== null) return;
  const version = browser.version();
  if (isRenewed()) {
    mkdirSync(pictures, { recursive: true });
    writeFileSync(madeWith, `${version}\n`);
  }
  empty = await startStillServer('screens-empty');
  server = await startStillServer('screens');
  fleet = await feedStillFleet(server);
  near = await openContext(browser, 1);
  far = await openContext(browser, WALL_SCALE);
});
test.afterAll(async () => {
  test.setTimeout(600_000);
  await near?.close();
  await far?.close();
  await server?.remove();
  await empty?.remove();
  expect(guard.problems, 'the pages had no problem').toEqual([]);
});

test.beforeEach(({ browser }) => {
  const why = whyNot(browser);
  // biome-ignore lint/suspicious/noSkippedTests: another version of the browser draws letters differently
  test.skip(why !== null, why ?? '');
  test.setTimeout(600_000);
});

/** Why the pictures cannot be compared; null if they can. */
function whyNot(browser: Browser): string | null {
  if (isRenewed()) return null;
  if (!existsSync(madeWith)) return 'No pictures were made yet.';
  const made = readFileSync(madeWith, 'utf8').trim();
  if (made === browser.version()) return null;
  return `The pictures were made with Chromium ${made}; this is ${browser.version()}.`;
}

/** Whether `--update-snapshots` was given. */
const isRenewed = () => ['all', 'changed'].includes(test.info().config.updateSnapshots);

async function openContext(browser: Browser, deviceScaleFactor: number): Promise<BrowserContext> {
  const context = await browser.newContext({ deviceScaleFactor, locale: 'en-GB', timezoneId: 'UTC' });
  await guard.watch(context);
  await context.clock.setFixedTime(STILL_NOW);
  return context;
}

interface Screen {
  name: string;
  path: string;
  /** Waits until the page shows its data. */
  ready: (page: Page) => Promise<void>;
  /** Changes the page before its pictures. */
  act?: (page: Page) => Promise<void>;
  /** Whether there is also a picture for a 4 K wall. */
  wall?: boolean;
}

/** Loads the page once per scale, then changes theme and width. */
async function shoot({ name, path, ready, act, wall = false }: Screen, at = server): Promise<void> {
  for (const [context, shots] of [
    [near, NEAR_SHOTS],
    [far, wall ? FAR_SHOTS : []],
  ] as const) {
    const [first] = shots;
    if (first === undefined) continue;
    const page = await context.newPage();
    await page.setViewportSize(first.size);
    await page.goto(at.url + path);
    await ready(page);
    await act?.(page);
    await page.evaluate(() => document.fonts.ready);
    for (const { size, theme } of shots) {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme: theme });
      // Parts that render late also contain names of this run.
      await expect.poll(() => hidePlace(page, at)).toBe(0);
      await settled(page);
      const options = { ...TOLERANCE, timeout: STEADY_MS };
      await expect.soft(page).toHaveScreenshot(`${name}-${size.name}-${theme}.png`, options);
    }
    await page.close();
  }
}

/** Waits until the page has not changed for a moment: `toHaveScreenshot` gives up at two equal wrong pictures. */
async function settled(page: Page): Promise<void> {
  let before = '';
  const isSteady = async () => {
    const last = before;
    before = await page.locator('body').innerHTML();
    return before === last;
  };
  await expect.poll(isSteady, { intervals: [250], timeout: STEADY_MS }).toBe(true);
}

/** Replaces the folders and ports of this run by fixed ones. @returns the number of changed texts */
async function hidePlace(page: Page, at: BarographServer): Promise<number> {
  const names = [
    [projectFolder, '/srv/barograph'],
    [at.dataFolder, '/var/lib/barograph'],
    [new URL(at.url).host, '127.0.0.1:4680'],
  ];
  return page.evaluate((pairs) => {
    let changed = 0;
    // Commands have breaks inside the names; their places follow from the new text.
    for (const code of document.querySelectorAll('code span:has(wbr)')) {
      let html = code.innerHTML.replaceAll('<wbr>', '');
      for (const [name = '', other = ''] of pairs) html = html.replaceAll(name, other);
      html = html.replace(/(?<=\S{18}[/=])/g, '<wbr>');
      if (html === code.innerHTML) continue;
      code.innerHTML = html;
      changed += 1;
    }
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      let text = node.nodeValue ?? '';
      for (const [name = '', other = ''] of pairs) text = text.replaceAll(name, other);
      if (text === node.nodeValue) continue;
      node.nodeValue = text;
      changed += 1;
    }
    return changed;
  }, names);
}

const live = async (page: Page) => {
  await expect(badge(page)).toHaveText('live');
  // The age of the last turn arrives in a later message.
  await expect(page.getByRole('banner')).toContainText(/last turn .+ ago|no turn yet/);
};
/** Waits until the page is live and shows an element of that name. */
const shows =
  (role: 'table' | 'region' | 'list' | 'heading', name: string | RegExp) => async (page: Page) => {
    await live(page);
    await expect(page.getByRole(role, { name }).first()).toBeVisible();
  };

test('A server without sessions matches its pictures', async () => {
  const ready = async (page: Page) => {
    await live(page);
    await expect(page.getByText('Waiting for the first turn')).toHaveCount(4);
  };
  await shoot({ name: 'fleet-empty', path: '/', ready }, empty);
});

test('Every screen of an active fleet matches its pictures', async () => {
  const screens: Screen[] = [
    { name: 'fleet', path: '/', ready: shows('table', 'Sessions'), wall: true },
    {
      name: 'wall',
      path: '/?view=wall',
      wall: true,
      ready: (page) =>
        expect(page.getByRole('region', { name: 'Wall' }).getByRole('status')).toHaveText('live'),
    },
    { name: 'session', path: `/sessions/${fleet.counting}`, wall: true, ready: shows('region', 'Barogram') },
    { name: 'events', path: '/events', ready: shows('table', 'Events') },
    { name: 'alerts', path: '/alerts', ready: shows('table', 'Dead letters') },
    { name: 'history', path: '/history?range=24h', ready: shows('region', 'History of the range') },
    {
      name: 'compare',
      path: `/compare?a=${fleet.session}&b=${fleet.other}`,
      ready: shows('region', 'Traces'),
    },
    { name: 'transcripts', path: '/transcripts', ready: shows('table', 'Transcripts') },
    { name: 'transcript', path: `/transcripts/${fleet.transcript}`, ready: shows('list', 'Conversation') },
    { name: 'settings', path: '/settings', ready: shows('table', 'Latest entries of the audit log') },
    { name: 'settings-audit', path: '/settings/audit', ready: shows('table', 'Audit log') },
    { name: 'connect', path: '/connect', ready: shows('heading', 'Connect a runner') },
    { name: 'not-found', path: '/nowhere', ready: live },
  ];
  guard.allow(/404 \(Not Found\)/);
  for (const screen of screens) await shoot(screen);
});

test('A fleet without its server matches its pictures', async () => {
  guard.allow(SERVER_AWAY);
  const cut: Array<() => void> = [];
  for (const context of [near, far]) {
    let isAway = false;
    await context.routeWebSocket(/./, (socket) => {
      if (isAway) {
        void socket.close();
        return;
      }
      socket.connectToServer();
      cut.push(() => {
        isAway = true;
        void socket.close();
      });
    });
  }
  await shoot({
    name: 'fleet-stale',
    path: '/',
    ready: shows('table', 'Sessions'),
    act: async (page) => {
      for (const end of cut) end();
      await expect(badge(page)).toHaveText('reconnecting');
      // A timer refreshes ages once a second.
      const age = page.getByRole('table', { name: 'Sessions' }).locator('time').first();
      const before = await age.innerText();
      await page.clock.setFixedTime(STILL_NOW + 60_000);
      await expect(badge(page)).toHaveText('stale');
      await expect(age).not.toHaveText(before);
    },
  });
  for (const context of [near, far]) {
    await context.clock.setFixedTime(STILL_NOW);
    await context.unrouteAll({ behavior: 'ignoreErrors' });
  }
});

test('Ten thousand sessions match their pictures', async ({ browser }) => {
  // With the fleet there are ten thousand sessions, the maximum of the live feed.
  await feedMany(server, 9_970);
  await near.close();
  await far.close();
  near = await openContext(browser, 1);
  far = await openContext(browser, WALL_SCALE);
  const ready = async (page: Page) => {
    await live(page);
    await expect(page.getByText(/^9.970 of 9.994 sessions/)).toBeVisible();
  };
  await shoot({ name: 'fleet-10000', path: '/?project=ten-thousand', ready });
});
