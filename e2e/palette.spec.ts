import type { Page } from '@playwright/test';
import { expectAccessibleInBoth } from './support/expect-accessible';
import { handOver } from './support/hand-over';
import { open, row } from './support/screen';
import { expect, test } from './support/test';

const palette = (page: Page) => page.getByRole('dialog', { name: 'Commands' });
const input = (page: Page) => palette(page).getByRole('combobox');
const option = (page: Page, name: string | RegExp) => palette(page).getByRole('option', { name });

const title = (page: Page) => page.getByRole('heading', { level: 1, name: SESSION });
const SESSION = 'Upgrade React and fix the fallout';

async function openPalette(page: Page, words = ''): Promise<void> {
  await page.keyboard.press('Control+k');
  await expect(input(page)).toBeFocused();
  await page.keyboard.type(words);
}

test.describe('The palette', () => {
  test('finds a session by its words and opens it, from any page', async ({ page, fleet }) => {
    // Tall enough for all rows.
    await page.setViewportSize({ width: 1440, height: 1600 });
    await open(page, fleet.url);
    await expect(row(page, SESSION)).toBeVisible();
    await openPalette(page);
    await expect(palette(page).getByText('Sessions, next boundary first')).toBeVisible();
    await page.keyboard.type('react upgr');
    await expect(option(page, new RegExp(SESSION))).toHaveAttribute('aria-selected', 'true');
    await page.keyboard.press('Enter');
    await expect(title(page)).toBeVisible();
    await expect(palette(page)).toBeHidden();
    // A recent item is named by the title of its page.
    await expect(page).toHaveTitle(new RegExp(SESSION));

    // A recent item opens without the server.
    await open(page, `${fleet.url}/settings`);
    await openPalette(page);
    await expect(palette(page).getByText('Recent')).toBeVisible();
    await page.keyboard.type('upgrdreact');
    await expect(option(page, new RegExp(SESSION))).toContainText('session');
    await page.keyboard.press('Enter');
    await expect(title(page)).toBeVisible();

    await page.evaluate(() => localStorage.clear());
    await open(page, `${fleet.url}/settings`);
    await openPalette(page, 'Upgrade React');
    await expect(option(page, new RegExp(SESSION)), 'the server is asked').toBeVisible();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('fix the fallout');
    await page.keyboard.press('Enter');
    await expect(title(page), 'Enter waits for the server’s answer').toBeVisible();
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

    await openPalette(page, 'theme dark');
    await expect(option(page, /^Theme: dark/)).toHaveAttribute('aria-selected', 'true');
    await page.keyboard.press('Enter');
    await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
    await expect(option(page, /Theme: dark.*in use/)).toBeVisible();
    await page.keyboard.press('Control+a');
    // Enter runs the result of the typed words.
    await page.keyboard.type('rows compact');
    await page.keyboard.press('Enter');
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
    await openPalette(page, 'copy link');
    await page.keyboard.press('Enter');
    await expect(palette(page).getByRole('status')).toHaveText('Link copied');
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`${fleet.url}/?state=critical`);
    await page.keyboard.press('Control+a');
    await page.keyboard.type('whole fleet');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(`${fleet.url}/`);

    const from = new Date(Date.now() - 600_000).toISOString();
    await open(page, `${fleet.url}/sessions/${fleet.sessionId}?from=${from}`);
    await openPalette(page, 'follow live');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(`${fleet.url}/sessions/${fleet.sessionId}`);
  });

  test('opens an archive, compares, filters by state and goes to a time by verbs', async ({
    page,
    server,
    project,
    report,
    runner,
    api,
  }) => {
    const [one, two] = [
      report('one', { title: `one of ${project}` }),
      report('two', { title: `two of ${project}` }),
    ];
    one.read(60_000);
    two.read(20_000);
    await runner.flush();
    const [a, b] = [await api.session(one.key), await api.session(two.key)];
    const archive = await handOver(server, Buffer.from('{"type":"user"}\n'), { project, session: one.key });
    await open(page, `${server.url}/connect`);

    await openPalette(page, 'archv');
    await expect(option(page, /^Open archive/)).toHaveAttribute('aria-selected', 'true');
    await page.keyboard.press('Enter');
    await expect(input(page)).toHaveValue('open archive ');
    await page.keyboard.type('no such session');
    await expect(palette(page).getByRole('status')).toHaveText('No matches');
    await page.keyboard.press('Control+a');
    await page.keyboard.type(`open archive one of ${project}`);
    await expect(palette(page).getByRole('option')).toHaveCount(1);
    await expect(option(page, /^one of/)).toHaveAttribute('aria-selected', 'true');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(`${server.url}/transcripts/${archive.id}`);

    await open(page, `${server.url}/sessions/${a.id}`);
    await openPalette(page, `compare with two of ${project}`);
    await expect(palette(page).getByText('Compare this session with')).toBeVisible();
    await expect(option(page, /^nominal two of/)).toBeVisible();
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(`${server.url}/compare?a=${a.id}&b=${b.id}`);

    await openPalette(page, 'critical');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(`${server.url}/?state=critical`);
    await openPalette(page, 'go to 14:03');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/\/events\?to=.*T\d\d(:|%3A)03/);
  });

  test('reports a failed session search and still runs actions', async ({ page, fleet, guard }) => {
    guard.allow(/net::ERR_FAILED/);
    await open(page, `${fleet.url}/connect`);
    await page.route('**/api/v1/sessions?**', (route) => route.abort());
    await openPalette(page);
    await expect(palette(page).getByRole('status')).toContainText('the server does not respond');
    await page.keyboard.type('settings');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(`${fleet.url}/settings`);
  });
});

test('Palette and help have no axe findings', async ({ page, fleet }) => {
  await open(page, fleet.url);
  await openPalette(page);
  await expect(palette(page).getByRole('option').first()).toBeVisible();
  await expectAccessibleInBoth(page, '[role="dialog"]');
  await page.keyboard.type('nothing is called this');
  await expect(palette(page).getByRole('status')).toHaveText('No matches');
  await expectAccessibleInBoth(page, '[role="dialog"]');
  await page.keyboard.press('Escape');
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog', { name: 'Keys' })).toContainText('narrow the list as you type');
  await expectAccessibleInBoth(page, '[role="dialog"]');
});
