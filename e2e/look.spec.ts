import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { findScenario } from '@/core/scenario/find-scenario';
import { readApi } from './support/read-api';
import { connectRunner, tellScenario } from './support/runner';
import { badge, open, row, sheet } from './support/screen';
import { BarographServer } from './support/server';
import { test as base, expect } from './support/test';

const THEMES = ['light', 'dark'] as const;
const PAGES = ['/', '/events', '/transcripts', '/alerts', '/connect', '/settings'] as const;

interface Look {
  /** A server with a fleet, which no story of this file changes. */
  fleet: { url: string; sessionId: string };
  /** A server that has seen no turn. */
  empty: { url: string };
}

const test = base.extend<object, Look>({
  fleet: [
    async ({ browserName }, use) => {
      const server = await BarographServer.start(`${browserName}-fleet`);
      const { clients } = tellScenario(server, findScenario('demo-fleet', { minutes: 0 }), Date.now());
      await Promise.all(clients.map((client) => client.close(20_000)));
      const over = connectRunner(server, { project: 'data-platform' });
      const session = over.session('restarted', { title: 'Restarted', lens: 'cumulative', limit: 1_000 });
      session.turn({ usage: { input: 950, output: 0 } });
      session.restart({ checkpoint: 'Goal: begin again.' });
      session.turn({ usage: { input: 300, output: 0 } });
      await over.close();
      const { id } = await readApi(server).session('demo-fleet/01');
      await use({ url: server.url, sessionId: id });
      await server.remove();
    },
    { scope: 'worker' },
  ],
  empty: [
    async ({ browserName }, use) => {
      const server = await BarographServer.start(`${browserName}-empty`);
      await use({ url: server.url });
      await server.remove();
    },
    { scope: 'worker' },
  ],
});

/** In the light theme by every rule of axe; in the dark one by those on colour, for the rest is the same. */
async function expectAccessible(page: Page, theme: (typeof THEMES)[number]): Promise<void> {
  const axe = new AxeBuilder({ page });
  if (theme === 'dark') axe.withRules(['color-contrast', 'link-in-text-block']);
  const { violations } = await axe.analyze();
  expect(
    violations.map(({ id, help, nodes }) => ({ id, help, at: nodes.map(({ target }) => target.join(' ')) })),
  ).toEqual([]);
}

/** The page's own paper: what a theme changes first. */
function paper(page: Page): Promise<string> {
  return page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
}

/** Pixels by which the page is wider than its window. */
function overflowOf(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}

for (const theme of THEMES) {
  test.describe(`In the ${theme} theme`, () => {
    test.use({ colorScheme: theme });

    test('the first visit has no finding of axe', async ({ page, empty }) => {
      await open(page, empty.url);
      await expectAccessible(page, theme);
    });

    test('the fleet has no finding of axe', async ({ page, fleet }) => {
      await open(page, fleet.url);
      await expect(row(page, 'Upgrade React and fix the fallout')).toBeVisible();
      await expectAccessible(page, theme);
      await open(page, `${fleet.url}/?state=critical&q=nothing-is-called-this`);
      await expect(page.getByRole('status').filter({ hasText: 'No session matches' })).toBeVisible();
      await expectAccessible(page, theme);
    });

    test('the session page has no finding of axe', async ({ page, fleet }) => {
      await open(page, `${fleet.url}/sessions/${fleet.sessionId}`);
      await expect(sheet(page).locator('svg').first()).toBeVisible();
      await expectAccessible(page, theme);
      await page.getByRole('button', { name: 'Cache-inflated' }).click();
      await expect(page.getByRole('status').filter({ hasText: 'cache' }).first()).toBeVisible();
      await expectAccessible(page, theme);
    });

    test('all other pages have no finding of axe', async ({ page, fleet }) => {
      // The pages of the dark theme share all their colours.
      for (const path of theme === 'light' ? PAGES.slice(1) : (['/connect', '/settings'] as const)) {
        await open(page, fleet.url + path);
        await expectAccessible(page, theme);
      }
    });
  });
}

test.describe('The theme', () => {
  test('follows the system, and a choice of one’s own stays', async ({ page, fleet }) => {
    await page.emulateMedia({ colorScheme: 'light' });
    await open(page, fleet.url);
    expect(await paper(page)).toBe('rgb(250, 248, 243)');
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(() => paper(page)).toBe('rgb(15, 19, 23)');

    await page.getByRole('button', { name: 'Theme: as the system. Change to light' }).click();
    await expect.poll(() => paper(page)).toBe('rgb(250, 248, 243)');
    await page.reload();
    expect(await paper(page)).toBe('rgb(250, 248, 243)');
    await page.getByRole('button', { name: 'Theme: light. Change to dark' }).click();
    await expect.poll(() => paper(page)).toBe('rgb(15, 19, 23)');
    await page.emulateMedia({ colorScheme: 'light' });
    await page.reload();
    expect(await paper(page)).toBe('rgb(15, 19, 23)');
  });
});

test.describe('Every page', () => {
  test('loads without an error, with one heading and a title', async ({ page, fleet }) => {
    for (const path of [...PAGES, `/sessions/${fleet.sessionId}`]) {
      const answer = await page.goto(fleet.url + path);
      expect(answer?.status(), path).toBe(200);
      expect(answer?.headers()['content-security-policy'], path).toContain("script-src 'self' 'nonce-");
      await expect(badge(page), path).toHaveText('live');
      await expect(page.getByRole('heading', { level: 1 }), path).toHaveCount(1);
      await expect(page, path).toHaveTitle(/Barograph/);
    }
  });

  test('that does not exist says so and leads home', async ({ page, fleet, guard }) => {
    guard.allow(/404 \(Not Found\)/);
    const answer = await page.goto(`${fleet.url}/nowhere`);
    expect(answer?.status()).toBe(404);
    await expect(page.getByRole('main').getByRole('link').first()).toBeVisible();
    for (const id of ['00000000-0000-8000-8000-000000000000', 'nonsense']) {
      await open(page, `${fleet.url}/sessions/${id}`);
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('No such session');
      await expect(page.getByRole('main').getByRole('link').first()).toHaveAttribute('href', '/');
    }
  });

  test('fits a phone, a tablet, a laptop and a wall without a horizontal scroll', async ({
    page,
    fleet,
    empty,
  }) => {
    for (const url of [
      empty.url,
      ...[...PAGES, `/sessions/${fleet.sessionId}`].map((path) => fleet.url + path),
    ]) {
      await page.setViewportSize({ width: 360, height: 740 });
      await open(page, url);
      for (const [width, height] of [
        [360, 740],
        [768, 1024],
        [1440, 900],
        [3840, 2160],
      ] as const) {
        await page.setViewportSize({ width, height });
        await expect.poll(() => overflowOf(page), `${url} at ${width}`).toBeLessThanOrEqual(0);
      }
    }
  });
});
