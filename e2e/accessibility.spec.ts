/**
 * Axe checks of screens in both themes: live, stale, empty, loading, broken. Other stories check live events, history
 * and settings.
 */
import type { Page, Request } from '@playwright/test';
import { holdTable } from '@/db/testing/hold-table';
import { expectAccessibleInBoth } from './support/expect-accessible';
import { holdLiveLink } from './support/live-link';
import { badge, open, PAGES, row, sheet } from './support/screen';
import { expect, test } from './support/test';

/** A page is stale ten seconds after it lost its server. */
const STALE_AFTER_MS = 11_000;

/** Open a page and wait for its first live data. */
async function openPage(page: Page, url: string): Promise<void> {
  await open(page, url);
  await expect(page.getByRole('main').getByRole('heading').first()).toBeAttached();
}

test.describe('Live and stale', () => {
  const screens = [
    ['the fleet', '/', 'main'],
    ['the wall', '/?view=wall', 'main'],
    ['the session page', '/sessions/:id', 'main'],
    ['transcripts', '/transcripts', 'header'],
  ] as const;
  for (const [name, path, changed] of screens) {
    test(`${name} has no axe findings, live or stale`, async ({ page, fleet, guard }) => {
      guard.allow(/WebSocket/);
      await page.clock.install();
      const link = await holdLiveLink(page);
      const url = fleet.url + path.replace(':id', fleet.sessionId);
      if (path === '/?view=wall') await page.goto(url);
      else await openPage(page, url);
      await expect(page.getByRole('status').filter({ hasText: /^live$/ })).toBeVisible();
      await expectAccessibleInBoth(page);
      await link.cut();
      await expect(page.getByRole('status').filter({ hasText: /^(reconnecting|stale)/ })).toBeVisible();
      await page.clock.fastForward(STALE_AFTER_MS);
      await expect(page.getByRole('status').filter({ hasText: /^stale/ })).toBeVisible();
      // A stale page differs from a live one only in this part.
      await expectAccessibleInBoth(page, changed);
    });
  }
});

test.describe('Empty', () => {
  test('no screen of an empty server has axe findings', async ({ page, empty }) => {
    for (const path of PAGES) {
      await openPage(page, empty.url + path);
      await expectAccessibleInBoth(page, path === '/' ? undefined : 'main');
    }
  });

  test('no screen has axe findings when its filters match nothing', async ({ page, fleet, guard }) => {
    guard.allow(/404 \(Not Found\)/);
    await open(page, `${fleet.url}/?state=critical&q=nothing-is-called-this`);
    await expect(page.getByRole('status').filter({ hasText: 'No matches' })).toBeVisible();
    await expectAccessibleInBoth(page, 'main');
    await page.goto(`${fleet.url}/?view=wall&q=nothing-is-called-this`);
    await expect(page.getByText('No matches')).toBeVisible();
    await expectAccessibleInBoth(page, 'main');
    await open(page, `${fleet.url}/events?kind=archive_failed&session=nothing-is-called-this`);
    await expect(page.getByText('No matches')).toBeVisible();
    await expectAccessibleInBoth(page, 'main');
    await page.goto(`${fleet.url}/sessions/00000000-0000-4000-8000-000000000000`);
    await expect(page.getByRole('main').getByRole('heading').first()).toBeVisible();
    await expectAccessibleInBoth(page, 'main');
  });
});

/** Read the response of a page until it contains the loading state. */
async function readLoadingState(request: Request) {
  const { status, headers, body } = await fetch(request.url(), {
    headers: { ...request.headers(), 'accept-encoding': 'identity' },
    signal: AbortSignal.timeout(180_000),
  });
  const decoder = new TextDecoder();
  let text = '';
  for await (const part of body ?? []) {
    text += decoder.decode(part, { stream: true });
    if (/<main[\s\S]*(aria-busy="true"|role="status")/.test(text)) break;
  }
  return { status, headers: Object.fromEntries(headers), body: text };
}

test.describe('Loading', () => {
  test('fleet, session and comparison have no axe findings while they load', async ({
    page,
    fleet,
    guard,
  }) => {
    // The response ends with the loading state, and no script runs that could replace this state.
    guard.allow(/./);
    await page.route('**/*.js*', (route) => route.abort());
    for (const [path, table] of [
      ['/', 'sessions'],
      // The server reads the session before the page has a loading state, so this story locks the notes.
      [`/sessions/${fleet.sessionId}`, 'notes'],
      [`/compare?a=${fleet.sessionId}`, 'sessions'],
    ] as const) {
      const url = fleet.url + path;
      await page.route(url, async (route) =>
        route.fulfill(await holdTable(fleet.dataFolder, table, () => readLoadingState(route.request()))),
      );
      await page.goto(url);
      await expect(page.locator('main [aria-busy="true"], main [role="status"]').first()).toBeAttached();
      await expectAccessibleInBoth(page, 'main');
    }
  });

  test('events and history have no axe findings while they reload', async ({ page, fleet }) => {
    const release: (() => void)[] = [];
    await page.route('**/api/v1/{events,history,transcripts}?*', async (route) => {
      await new Promise<void>((resolve) => release.push(resolve));
      await route.abort();
    });
    await open(page, `${fleet.url}/events`);
    await page.getByRole('button', { name: 'pressure' }).click();
    await expect.poll(() => release.length).toBe(1);
    await expectAccessibleInBoth(page, 'main');
    await open(page, `${fleet.url}/history`);
    await page.getByRole('button', { name: 'the last 7 days' }).click();
    await expect.poll(() => release.length).toBeGreaterThan(1);
    await expectAccessibleInBoth(page, 'main');
    for (const go of release) go();
  });
});

test.describe('Broken', () => {
  test('a fleet, wall or session that fails to render has no axe findings', async ({
    page,
    fleet,
    guard,
  }) => {
    // React reports the broken panels.
    guard.allow(/./);
    let version = 1_000_000;
    await holdLiveLink(page, (session) => {
      version += 1;
      return { ...session, version, title: { not: 'a text' } };
    });
    for (const path of ['/', '/?view=wall', `/sessions/${fleet.sessionId}`]) {
      await page.goto(fleet.url + path);
      await expect(page.getByRole('button', { name: /again$/ }).first()).toBeVisible();
      await expectAccessibleInBoth(page, 'main');
    }
  });

  test('events and settings have no axe findings on a 503', async ({ page, fleet, guard }) => {
    guard.allow(/503 \(Service Unavailable\)/);
    await page.route('**/api/v1/{events,history,transcripts,tokens}{,?*}', (route) =>
      route.fulfill({ status: 503, body: '{}' }),
    );
    await open(page, `${fleet.url}/events`);
    await page.getByRole('button', { name: 'pressure' }).click();
    await expect(page.getByRole('alert').filter({ hasText: 'answered 503' })).toBeVisible();
    await expectAccessibleInBoth(page, 'main');
    await open(page, `${fleet.url}/settings`);
    await page.getByRole('button', { name: 'New token' }).click();
    const make = page.getByRole('dialog', { name: 'New token' });
    await make.getByRole('textbox', { name: 'Name' }).fill('a runner');
    await make.getByRole('button', { name: 'Create token' }).click();
    await expect(make.getByRole('alert')).toBeVisible();
    await expectAccessibleInBoth(page, '[role="dialog"]');
  });
});

test.describe('Menu and tooltips', () => {
  test('the phone menu and tooltips have no axe findings', async ({ page, fleet }) => {
    await open(page, fleet.url);
    await expect(row(page, 'Nightly reconciliation agent')).toBeVisible();
    const barcode = page.getByRole('region', { name: /^Pressure now/ });
    // Ticks move while the fleet is active.
    await expect(async () => {
      const tick = await barcode.locator('path[data-state]').first().boundingBox();
      if (tick === null) throw new Error('the barcode has no tick');
      await page.mouse.move(tick.x, tick.y);
      await page.mouse.move(tick.x, tick.y + tick.height / 2);
      await expect(barcode.getByText(/, \d+\s%$/)).toBeVisible({ timeout: 1_000 });
    }).toPass();
    await expectAccessibleInBoth(page, '[aria-labelledby="barcode"]');
    await page.setViewportSize({ width: 360, height: 740 });
    await page.getByRole('button', { name: 'Menu' }).click();
    await expect(page.getByRole('banner').getByRole('link', { name: 'Settings' })).toBeVisible();
    await expectAccessibleInBoth(page);
    await open(page, `${fleet.url}/sessions/${fleet.sessionId}`);
    for (const fold of ['All figures', 'View and export']) {
      await page.getByRole('button', { name: fold }).click();
      await expect(page.getByRole('button', { name: fold, expanded: true })).toBeVisible();
    }
    await expectAccessibleInBoth(page, 'main');
    await page.setViewportSize({ width: 1280, height: 720 });
    await sheet(page).locator('svg').first().hover();
    await expectAccessibleInBoth(page, 'main');
    await page.getByRole('button', { name: 'Cache-inflated' }).click();
    await expect(page.getByRole('status').filter({ hasText: 'cache' }).first()).toBeVisible();
    await expectAccessibleInBoth(page, 'main');
    await expect(badge(page)).toHaveText('live');
  });
});
