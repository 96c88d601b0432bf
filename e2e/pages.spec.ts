import type { Page } from '@playwright/test';
import { expect, PAGES, test } from './support/fleet-test';
import { badge, open } from './support/screen';

/** The page's own paper: what a theme changes first. */
function paper(page: Page): Promise<string> {
  return page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
}

/** Pixels by which the page is wider than its window. */
function overflowOf(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
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
      const missing = await page.goto(`${fleet.url}/sessions/${id}`);
      expect(missing?.status(), id).toBe(404);
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('No such session');
      await expect(page.getByRole('main').getByRole('link').first()).toHaveAttribute('href', '/');
      const transcript = await page.goto(`${fleet.url}/transcripts/${id}`);
      expect(transcript?.status(), id).toBe(404);
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('No such transcript');
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
