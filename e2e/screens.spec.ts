/**
 * Every screen as a picture: both themes, a phone, a desk and a wall of 4 K, at a moment that never passes. Renewed with
 * `npm run test:e2e -- --project screens --update-snapshots`, which also takes those that the README shows.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from '@playwright/test';
import { THEMES } from './support/expect-accessible';
import { Guard, SERVER_AWAY } from './support/guard';
import { projectFolder } from './support/project-folder';
import { badge } from './support/screen';
import type { BarographServer } from './support/server';
import { shrinkPicture } from './support/shrink-picture';
import {
  STILL_NOW,
  type StillFleet,
  startStillServer,
  tellMany,
  tellStillFleet,
} from './support/still-world';
import { expect, test } from './support/test';

const PHONE = { name: '360', width: 360, height: 740 };
const DESK = { name: '1440', width: 1440, height: 900 };
/** At a third of the scale: what stands where is seen, and the file stays small. */
const WALL = { name: '3840', width: 3840, height: 2160 };
const WALL_SCALE = 1 / 3;

/** Edges of letters may differ by a shade; a token of colour or a step of space differs by far more. */
const TOLERANCE = { maxDiffPixelRatio: 0.0004, threshold: 0.12, scale: 'device' } as const;
/** Two pictures alike after one another: of ten thousand rows that takes a while on a machine that has other work. */
const STEADY_MS = 60_000;

const pictures = join(projectFolder, 'e2e', 'pictures');
const madeWith = join(pictures, 'browser.txt');
/** Browsers further apart than this draw letters differently. */
const NEAR = 3;

test.describe.configure({ mode: 'serial' });

let server: BarographServer;
/** Has seen nothing. Each has one clock, and what it counted at a moment it does not count again. */
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
  fleet = await tellStillFleet(server);
  near = await openContext(browser, 1);
  far = await openContext(browser, WALL_SCALE);
});
test.afterAll(async () => {
  test.setTimeout(600_000);
  await near?.close();
  await far?.close();
  await server?.remove();
  await empty?.remove();
  if (isRenewed()) {
    for (const name of readdirSync(pictures).filter((file) => file.endsWith('.png'))) {
      const file = join(pictures, name);
      writeFileSync(file, shrinkPicture(readFileSync(file)));
    }
  }
  expect(guard.problems, 'the pages had no problem').toEqual([]);
});

test.beforeEach(({ browser }) => {
  const why = whyNot(browser);
  // biome-ignore lint/suspicious/noSkippedTests: without pictures of such a browser there is nothing to compare
  test.skip(why !== null, why ?? '');
  test.setTimeout(600_000);
});

/** Why nothing can be compared here; null: it can. */
function whyNot(browser: Browser): string | null {
  if (isRenewed()) return null;
  if (!existsSync(madeWith)) return 'No pictures were made yet.';
  const made = readFileSync(madeWith, 'utf8').trim();
  const apart = Math.abs(Number.parseInt(made, 10) - Number.parseInt(browser.version(), 10));
  if (apart <= NEAR) return null;
  return `The pictures were made with Chromium ${made}; this is ${browser.version()}.`;
}

/** Whether `--update-snapshots` was given; without it Playwright makes those alone that are missing. */
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
  /** Is there once the page shows what it has. */
  ready: (page: Page) => Promise<void>;
  /** Before the pictures: something opened, taken away. */
  act?: (page: Page) => Promise<void>;
}

/** One load a scale; themes and widths are changed under the page, as somebody changes them. */
async function shoot({ name, path, ready, act }: Screen, at = server): Promise<void> {
  for (const [context, sizes] of [
    [near, [DESK, PHONE]],
    [far, [WALL]],
  ] as const) {
    const page = await context.newPage();
    const [first] = sizes;
    await page.setViewportSize(first);
    await page.goto(at.url + path);
    await ready(page);
    await act?.(page);
    await page.evaluate(() => document.fonts.ready);
    for (const size of sizes) {
      await page.setViewportSize(size);
      for (const theme of THEMES) {
        await page.emulateMedia({ colorScheme: theme });
        // What came since, such as a part of the page that was read later, has its places too.
        await hidePlace(page, at);
        const options = { ...TOLERANCE, timeout: STEADY_MS };
        await expect.soft(page).toHaveScreenshot(`${name}-${size.name}-${theme}.png`, options);
      }
    }
    await page.close();
  }
}

/** What the README shows: a desk's window, a little higher for the session and what lies under its trace. */
const DOCS = [
  { screen: 'fleet', theme: 'light', height: 900 },
  { screen: 'fleet', theme: 'dark', height: 900 },
  { screen: 'session', theme: 'light', height: 1000 },
] as const;

async function shootDocs({ name, path, ready }: Screen): Promise<void> {
  for (const { screen, theme, height } of DOCS) {
    if (screen !== name) continue;
    const page = await near.newPage();
    await page.setViewportSize({ width: DESK.width, height });
    await page.emulateMedia({ colorScheme: theme });
    await page.goto(server.url + path);
    await ready(page);
    await page.evaluate(() => document.fonts.ready);
    const file = join(projectFolder, 'docs', 'images', `${name}-${theme}.png`);
    writeFileSync(file, shrinkPicture(await page.screenshot()));
    await page.close();
  }
}

/** Folders and ports of this run become those of any other. */
async function hidePlace(page: Page, at: BarographServer): Promise<void> {
  const names = [
    [projectFolder, '/srv/barograph'],
    [at.dataFolder, '/var/lib/barograph'],
    [new URL(at.url).host, '127.0.0.1:4680'],
  ];
  await page.evaluate((pairs) => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      let text = node.nodeValue ?? '';
      for (const [name = '', other = ''] of pairs) text = text.replaceAll(name, other);
      if (text !== node.nodeValue) node.nodeValue = text;
    }
  }, names);
}

const live = async (page: Page) => {
  await expect(badge(page)).toHaveText('live');
  // Its age comes with a frame of its own.
  await expect(page.getByRole('banner')).toContainText(/last turn .+ ago|no turn yet/);
};
/** Live, and something with that name is there. */
const shows =
  (role: 'table' | 'region' | 'list' | 'heading', name: string | RegExp) => async (page: Page) => {
    await live(page);
    await expect(page.getByRole(role, { name }).first()).toBeVisible();
  };

test('A server that has seen nothing looks as in its pictures', async () => {
  await shoot({ name: 'fleet-empty', path: '/', ready: live }, empty);
});

test('Every screen of a fleet at work looks as in its pictures', async () => {
  const screens: Screen[] = [
    { name: 'fleet', path: '/', ready: shows('table', 'Sessions') },
    {
      name: 'wall',
      path: '/?view=wall',
      ready: (page) =>
        expect(page.getByRole('region', { name: 'Wall' }).getByRole('status')).toHaveText('live'),
    },
    { name: 'session', path: `/sessions/${fleet.counting}`, ready: shows('region', 'Barogram') },
    { name: 'events', path: '/events', ready: shows('table', 'Events') },
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
    { name: 'alerts', path: '/alerts', ready: shows('heading', 'Alerts') },
    { name: 'not-found', path: '/nowhere', ready: live },
  ];
  guard.allow(/404 \(Not Found\)/);
  for (const screen of screens) {
    await shoot(screen);
    if (isRenewed()) await shootDocs(screen);
  }
});

test('A fleet whose server is away looks as in its pictures', async () => {
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
      // Ages are looked at once a second, by a timer of their own.
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

test('Ten thousand sessions look as in their pictures', async ({ browser }) => {
  // With the others ten thousand: more are not live at once.
  await tellMany(server, 9_970);
  await near.close();
  await far.close();
  near = await openContext(browser, 1);
  far = await openContext(browser, WALL_SCALE);
  await shoot({ name: 'fleet-10000', path: '/?project=ten-thousand', ready: shows('table', 'Sessions') });
});
