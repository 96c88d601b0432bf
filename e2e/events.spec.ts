import type { Locator, Page } from '@playwright/test';
import { expectAccessibleInBoth } from './support/expect-accessible';
import { eventList, open } from './support/screen';
import { expect, test } from './support/test';

const EVENTS = '/events?project=:project';
const SUM = { lens: 'cumulative', limit: 1_000 } as const;

/** Rows of events, without the headings of days. */
function rows(page: Page): Locator {
  return page.getByRole('table', { name: 'Events' }).locator('tr[data-event]');
}

function waiting(page: Page): Locator {
  return page.getByRole('button', { name: /^\d+ new$/ });
}

test.describe('The event stream', () => {
  test('shows new events live and links to their place', async ({ page, report, visit }) => {
    await visit(EVENTS);
    await expect(page.getByText('No matches')).toBeVisible();
    const openedAt = await page.evaluate(() => performance.timeOrigin);
    const session = report('streams', SUM);
    session.read(800);
    session.restart({ checkpoint: 'Goal: go on.' });
    session.read(100);
    const restart = rows(page).filter({ hasText: 'continuation 1' });
    await expect(restart).toContainText('streams');
    // The session is beside its fact, also on a large screen, where the text is larger.
    const gap = async () => {
      const [fact, title] = await Promise.all([
        restart.getByText('continuation').boundingBox(),
        restart.getByText('streams', { exact: true }).boundingBox(),
      ]);
      return (fact?.x ?? 0) - (title?.x ?? 0);
    };
    expect(await gap()).toBeLessThan(460);
    const size = () =>
      restart
        .getByText('continuation')
        .evaluate((cell) => Number.parseFloat(getComputedStyle(cell).fontSize));
    expect(await size()).toBe(13);
    await page.setViewportSize({ width: 2_560, height: 1_440 });
    expect(await size()).toBeGreaterThan(15);
    expect(await gap()).toBeLessThan(700);
    expect((await restart.boundingBox())?.width).toBeLessThanOrEqual(2_000);
    expect(await page.evaluate(() => performance.timeOrigin)).toBe(openedAt);

    await restart.click();
    await expect(page).toHaveURL(/\/sessions\/[0-9a-f-]+\?event=.+restart/);
    await expect(page.getByRole('heading', { name: 'Restart 1' })).toBeVisible();
    await expect(eventList(page).getByRole('button', { pressed: true })).toContainText('restart');
  });

  test('keeps the rows under the pointer in place, and counts new events', async ({
    page,
    report,
    visit,
  }) => {
    const session = report('held', { limit: 100_000 });
    session.read(60_000);
    await visit(EVENTS);
    const first = rows(page).first();
    await expect(first).toContainText('nominal → elevated');
    await first.hover();
    const place = await first.boundingBox();
    session.read(78_000);
    await expect(waiting(page)).toHaveText('1 new');
    await expect(first).toContainText('nominal → elevated');
    expect(await first.boundingBox()).toEqual(place);
    await waiting(page).click();
    await expect(rows(page).first()).toContainText('elevated → warning');
    await expect(waiting(page)).toHaveCount(0);
  });

  test('filters by kind, chain and session in the address', async ({ page, report, visit }) => {
    const [one, two] = [report('one', SUM), report('two', SUM)];
    one.read(600);
    one.restart();
    two.read(600);
    two.turn({ chain: 'explorer', usage: { inputTokens: 100, outputTokens: 10 } });
    two.compaction({ chain: 'explorer', trigger: 'auto', state: 'confirmed' });
    await visit(EVENTS);
    await expect(rows(page).filter({ hasText: 'session started' })).toHaveCount(2);

    await page.getByRole('button', { name: 'boundaries' }).click();
    await expect(rows(page)).toHaveCount(2);
    await page.getByRole('combobox', { name: 'Filter by chain' }).selectOption('sub-agents');
    await expect(rows(page)).toHaveCount(1);
    await expect(rows(page).first()).toContainText('sub-agent explorer');
    await page.getByRole('combobox', { name: 'Filter by chain' }).selectOption('');
    await page.getByRole('searchbox', { name: 'Filter by session' }).fill('ONE');
    await expect(rows(page)).toHaveCount(1);
    await expect(page).toHaveURL(/kind=restart,compaction.*session=ONE/);

    const colleague = await page.context().newPage();
    await open(colleague, page.url());
    await expect(rows(colleague)).toHaveCount(1);
    await expect(colleague.getByRole('button', { name: 'boundaries', pressed: true })).toBeVisible();
    two.restart();
    one.restart();
    await expect(rows(colleague)).toHaveCount(2);
    await expect(rows(colleague).filter({ hasText: 'two' })).toHaveCount(0);
    await colleague.getByRole('button', { name: 'Clear filters' }).click();
    await expect(colleague).toHaveURL(/\/events$/);
  });

  test('goes to a time in the address and back to now', async ({ page, report, visit }) => {
    const at = (clock: string) => Date.parse(`2026-02-11T${clock}Z`);
    const session = report('past', { limit: 100_000, at: at('14:00:00') });
    for (const [clock, contextTokens] of [
      ['14:01:00', 60_000],
      ['14:03:20', 78_000],
      ['14:20:00', 90_000],
    ] as const) {
      session.turn({ at: at(clock), contextTokens, usage: { inputTokens: 10, outputTokens: 10 } });
    }
    await visit(EVENTS);
    await expect(rows(page).filter({ hasText: 'warning → critical' })).toBeVisible();
    await expect(page.getByRole('rowgroup').getByText('11 Feb').first()).toBeVisible();
    const field = page.getByRole('textbox', { name: 'Go to a time' });
    await field.fill('at noon');
    await field.press('Enter');
    await expect(page.getByText('For example 14:03 or 3 Nov 14:03')).toBeVisible();
    await field.fill('11 Feb 2026 14:03');
    await field.press('Enter');
    await expect(page).toHaveURL(/to=2026-02-11T14:03:59\.999Z/);
    await expect(rows(page).first()).toContainText('elevated → warning');
    await expect(rows(page).filter({ hasText: 'warning → critical' })).toHaveCount(0);
    // A past range gets no new events, even in a shared link.
    session.read(105_000);
    const colleague = await page.context().newPage();
    await open(colleague, page.url());
    await expect(rows(colleague).first()).toContainText('elevated → warning');
    await expect(rows(colleague).filter({ hasText: /of 100/ })).toHaveCount(0);
    await page.getByRole('button', { name: 'Back to now' }).click();
    await expect(page).not.toHaveURL(/to=/);
    await expect(rows(page).filter({ hasText: /of 100/ })).toBeVisible();
  });

  test('moves between rows by keyboard', async ({ page, report, visit }) => {
    report('keys', SUM).read(600);
    await visit(EVENTS);
    await expect(rows(page)).toHaveCount(2);
    await page.keyboard.press('j');
    await expect(rows(page).nth(0).getByRole('link')).toBeFocused();
    await page.keyboard.press('j');
    await expect(rows(page).nth(1).getByRole('link')).toBeFocused();
    await page.keyboard.press('k');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/\/sessions\/.*event=.+state_changed/);
  });

  test('scrolls through thousands of events to the first', async ({ page, report, visit }) => {
    test.slow();
    await visit(EVENTS);
    const sessions = 1_500;
    const begin = Date.now() - sessions * 1_000;
    for (let i = 0; i < sessions; i += 1) {
      const session = report(`burst-${i}`, { ...SUM, at: begin + i * 1_000 });
      session.turn({ at: begin + i * 1_000 + 500, usage: { inputTokens: 600, outputTokens: 1 } });
    }
    await expect(rows(page).first()).toContainText(`burst-${sessions - 1}`);
    expect(await rows(page).count()).toBeLessThan(120);
    await page.getByRole('button', { name: 'sessions', exact: true }).click();
    await expect(rows(page).first()).toContainText('session started');
    await page.getByRole('searchbox', { name: 'Filter by session' }).fill('burst-7');
    await expect(rows(page).first()).toContainText(/burst-7\d*/);
    await page.getByRole('searchbox', { name: 'Filter by session' }).fill('');
    await expect(rows(page).first()).toContainText(`burst-${sessions - 1}`);
    const end = page.getByText(/No older matches|The first event on record/);
    await expect(async () => {
      await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
      await expect(end).toBeVisible({ timeout: 1_000 });
      await expect(rows(page).last()).toContainText('burst-0', { timeout: 1_000 });
    }).toPass();
  });

  test('keeps its rows when a read fails, and retries', async ({ page, report, visit, guard }) => {
    guard.allow(/503 \(Service Unavailable\)/);
    report('fails', SUM).read(600);
    await visit(EVENTS);
    await expect(rows(page)).toHaveCount(2);
    await page.route('**/api/v1/events?*', (route) => route.fulfill({ status: 503, body: '{}' }));
    await page.getByRole('button', { name: 'pressure' }).click();
    await expect(page.getByRole('alert').filter({ hasText: 'answered 503' })).toBeVisible();
    await expect(rows(page)).toHaveCount(1);
    await page.unroute('**/api/v1/events?*');
    await page.getByRole('button', { name: 'Retry' }).click();
    await expect(page.getByRole('alert').filter({ hasText: 'answered 503' })).toHaveCount(0);
    await expect(rows(page)).toHaveCount(1);
  });

  test('has no axe findings in both themes', async ({ page, report, visit }) => {
    report('axe', SUM).read(600, 200, 100, 200);
    await visit(EVENTS);
    await expect(rows(page).first()).toBeVisible();
    await expectAccessibleInBoth(page);
  });
});
