import { expectAccessible, THEMES } from './support/expect-accessible';
import { expect, PAGES, test } from './support/fleet-test';
import { open, row, sheet } from './support/screen';

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

    test('the menu of a phone and the words under the pointer have no finding of axe', async ({
      page,
      fleet,
    }) => {
      await open(page, fleet.url);
      const barcode = page.getByRole('region', { name: /^Pressure now/ });
      const tick = await barcode.locator('path[data-state]').first().boundingBox();
      if (tick === null) throw new Error('the barcode has no tick');
      await page.mouse.move(tick.x, tick.y + tick.height / 2);
      await expect(barcode.getByText(/, \d+\s%$/)).toBeVisible();
      await expectAccessible(page, theme);
      await page.setViewportSize({ width: 360, height: 740 });
      await page.getByRole('button', { name: 'Menu' }).click();
      await expect(page.getByRole('banner').getByRole('link', { name: 'Settings' })).toBeVisible();
      await expectAccessible(page, theme);
      await page.setViewportSize({ width: 1280, height: 720 });
      await open(page, `${fleet.url}/sessions/${fleet.sessionId}`);
      await sheet(page).locator('svg').first().hover();
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
