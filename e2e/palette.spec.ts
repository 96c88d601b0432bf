import type { Page } from '@playwright/test';
import { expectAccessibleInBoth } from './support/expect-accessible';
import { expect, test } from './support/fleet-test';
import { open, row } from './support/screen';

const palette = (page: Page) => page.getByRole('dialog', { name: 'Commands' });
const input = (page: Page) => palette(page).getByRole('combobox');
const option = (page: Page, name: string | RegExp) => palette(page).getByRole('option', { name });

async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press('Control+k');
  await expect(input(page)).toBeFocused();
}

test.describe('The palette', () => {
  test('finds and opens a session by its words from any page', async ({ page, fleet }) => {
    // Tall enough for the row: which place it has is a matter of time.
    await page.setViewportSize({ width: 1440, height: 1600 });
    await open(page, fleet.url);
    await expect(row(page, 'Upgrade React and fix the fallout')).toBeVisible();
    await openPalette(page);
    await expect(palette(page).getByText('Sessions, next to go first')).toBeVisible();
    await page.keyboard.type('react upgr');
    await expect(option(page, /Upgrade React and fix the fallout/)).toHaveAttribute('aria-selected', 'true');
    await page.keyboard.press('Enter');
    await expect(
      page.getByRole('heading', { level: 1, name: 'Upgrade React and fix the fallout' }),
    ).toBeVisible();
    await expect(palette(page)).toBeHidden();

    await open(page, `${fleet.url}/settings`);
    await openPalette(page);
    await page.keyboard.type('Upgrade React');
    await expect(option(page, /Upgrade React and fix the fallout/), 'the server is asked').toBeVisible();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('fix the fallout');
    await page.keyboard.press('Enter');
    await expect(
      page.getByRole('heading', { level: 1, name: 'Upgrade React and fix the fallout' }),
      'Enter waits for the server’s answer',
    ).toBeVisible();
    await expect(palette(page)).toBeHidden();
    await openPalette(page);
    await page.keyboard.type('Upgrade React');
    await page.keyboard.type(' and nothing that exists');
    await expect(palette(page).getByRole('status')).toHaveText('No matches');
    await page.keyboard.press('Escape');
    await expect(palette(page)).toBeHidden();
  });

  test('opens pages and runs actions by keyboard, and returns the focus', async ({ page, fleet }) => {
    await open(page, `${fleet.url}/connect`);
    const button = page.getByRole('banner').getByRole('button', { name: 'Commands' });
    await button.focus();
    await page.keyboard.press('Enter');
    await expect(input(page)).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(button).toBeFocused();

    await openPalette(page);
    await page.keyboard.type('theme dark');
    await expect(option(page, /^Theme: dark/)).toHaveAttribute('aria-selected', 'true');
    await page.keyboard.press('Enter');
    await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
    await expect(option(page, /Theme: dark.*in use/)).toBeVisible();
    await page.keyboard.press('Control+a');
    // On a busy machine as well: Enter takes what the typed words say, not what stood there a moment ago.
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: 12 });
    await page.keyboard.type('rows compact');
    await page.keyboard.press('Enter');
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: 1 });
    await expect(page.locator('html')).toHaveAttribute('data-density', 'compact');

    await page.keyboard.press('Control+a');
    await page.keyboard.type('events');
    await expect(option(page, /^Events/)).toHaveAttribute('aria-selected', 'true');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(`${fleet.url}/events`);
  });

  test('copies a link, follows live and clears filters', async ({ page, fleet, context }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await open(page, `${fleet.url}/?state=critical`);
    await openPalette(page);
    await page.keyboard.type('copy link');
    await page.keyboard.press('Enter');
    await expect(palette(page).getByRole('status')).toHaveText('Link copied');
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`${fleet.url}/?state=critical`);
    await page.keyboard.press('Control+a');
    await page.keyboard.type('whole fleet');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(`${fleet.url}/`);

    const from = new Date(Date.now() - 600_000).toISOString();
    await open(page, `${fleet.url}/sessions/${fleet.sessionId}?from=${from}`);
    await openPalette(page);
    await page.keyboard.type('follow live');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(`${fleet.url}/sessions/${fleet.sessionId}`);
  });

  test('reports a failed session search and still runs actions', async ({ page, fleet, guard }) => {
    guard.allow(/net::ERR_FAILED/);
    await open(page, `${fleet.url}/connect`);
    await page.route('**/api/v1/sessions?**', (route) => route.abort());
    await openPalette(page);
    await expect(palette(page).getByRole('status')).toContainText('the server does not answer');
    await page.keyboard.type('settings');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(`${fleet.url}/settings`);
  });
});

test.describe('The help', () => {
  test('lists only the keys of the current page', async ({ page, fleet }) => {
    const help = page.getByRole('dialog', { name: 'Keys' });
    await open(page, fleet.url);
    await page.keyboard.press('?');
    await expect(help.getByText('next and previous row')).toBeVisible();
    await expect(help.getByText('narrow the list as you type')).toBeVisible();
    await help.getByRole('button', { name: 'Close' }).click();
    await expect(help).toBeHidden();
    await open(page, `${fleet.url}/sessions/${fleet.sessionId}`);
    await page.keyboard.press('?');
    await expect(help.getByText('walk the turns')).toBeVisible();
    await expect(help.getByText('next and previous row')).toBeHidden();
    await page.keyboard.press('Escape');
    await expect(help).toBeHidden();
  });
});

test('Palette and help have no axe findings', async ({ page, fleet }) => {
  await open(page, fleet.url);
  await openPalette(page);
  await expect(palette(page).getByRole('option').first()).toBeVisible();
  await expectAccessibleInBoth(page, '[role="dialog"]');
  await page.keyboard.type('nothing is called this');
  await expect(palette(page).getByRole('option')).toHaveCount(0);
  await expectAccessibleInBoth(page, '[role="dialog"]');
  await page.keyboard.press('Escape');
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog', { name: 'Keys' })).toBeVisible();
  await expectAccessibleInBoth(page, '[role="dialog"]');
});
