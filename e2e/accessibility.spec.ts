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

    test('all other pages have no finding of axe', async ({ page, fleet }) => {
      // The pages of the dark theme share all their colours.
      for (const path of theme === 'light' ? PAGES.slice(1) : (['/connect', '/settings'] as const)) {
        await open(page, fleet.url + path);
        await expectAccessible(page, theme);
      }
    });
  });
}
