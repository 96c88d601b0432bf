import { barLength, open, overflow, row } from './support/screen';
import { expect, test } from './support/test';

test.describe('The fleet', () => {
  test('shows a new session and its pressure without a reload', async ({ page, report, openFleet, api }) => {
    await openFleet();
    const openedAt = await page.evaluate(() => performance.timeOrigin);
    const session = report('moves', { limit: 100_000, model: 'claude-sonnet-4-5-20250929' });
    const mine = row(page, 'moves');
    const widths: number[] = [];
    for (const [tokens, percent, state] of [
      [31_000, '31 %', 'nominal'],
      [52_000, '52 %', 'elevated'],
      [76_500, '76 %', 'warning'],
      [88_000, '88 %', 'critical'],
      [101_000, '101 %', 'over limit'],
    ] as const) {
      session.read(tokens);
      await expect(mine).toContainText(percent);
      await expect(mine.getByRole('cell').first()).toHaveText(state);
      widths.push(await barLength(mine));
    }
    expect(widths).toEqual(widths.toSorted((a, b) => a - b));
    expect(new Set(widths).size).toBe(5);
    // A bar of 31 % ends at 31 % of the distance from 0 to the limit, on an axis up to 110 %.
    expect((widths[0] ?? 0) / (widths[4] ?? 1)).toBeCloseTo(31 / 101, 2);
    expect(await page.evaluate(() => performance.timeOrigin)).toBe(openedAt);
    const stored = await api.session(session.key);
    expect(stored).toMatchObject({ used: 101_000, pressure: 1.01, state: 'redlined', turnCount: 5 });
  });

  test('shows a running compaction and a failed archive', async ({ page, report, openFleet }) => {
    const session = report('compacts');
    session.read(150_000, 160_000);
    report('waits').read(170_000);
    await openFleet();
    const mine = row(page, 'compacts');
    await expect(mine).toContainText('80 %');
    await expect(mine).not.toContainText('compacting now');

    session.compaction({ trigger: 'auto', state: 'pending' });
    session.archive({ trigger: 'auto', state: 'failed', reason: 'no space left on device' });
    await expect(mine).toContainText('compacting now');
    const next = page.getByRole('region', { name: 'Next to go' });
    await expect(next.getByRole('listitem').first()).toContainText('compacting now');
    const rows = page.getByRole('table', { name: 'Sessions' }).getByRole('row');
    await expect(rows.nth(1), 'first in the order').toContainText('compacts');
    await mine.getByRole('link', { name: 'compacts' }).click();
    await expect(page.getByRole('region', { name: 'Barogram' })).toBeVisible();
    await expect(page.getByRole('main').getByText('compacting now')).toBeVisible();
    await page.goBack();

    session.compaction({ trigger: 'auto', state: 'confirmed', preTokens: 160_000, postTokens: 4_000 });
    session.read(30_000);
    await expect(mine).toContainText('15 %');
    await expect(mine).not.toContainText('compacting now');
    await page.getByRole('button', { name: '1 with a failed archive' }).click();
    await expect(row(page, 'waits')).toBeHidden();
    await mine.getByRole('link', { name: 'archive failed' }).click();
    await expect(page).toHaveURL(/\/transcripts\?session=.+&state=failed/);
    await expect(page.getByText('no space left on device').first()).toBeVisible();
  });

  test('shows seven rows on the first screen of a phone', async ({ page, report, openFleet }) => {
    const begin = Date.now() - 300_000;
    for (let made = 0; made < 8; made += 1) {
      const session = report(`agent ${made}`, { at: begin, client: 'claude-code' });
      for (let turn = 0; turn < 8; turn += 1) {
        const contextTokens = 90_000 + made * 3_000 + turn * 4_000;
        session.turn({ at: begin + turn * 30_000, contextTokens, usage: { input: 10, output: 10 } });
      }
    }
    await page.setViewportSize({ width: 390, height: 844 });
    await openFleet();
    // 844 pixels and the line that names the project of this test, which may wrap.
    const filters = page.getByRole('status').filter({ hasText: 'sessions' }).locator('..');
    const { height = 0 } = (await filters.boundingBox()) ?? {};
    await page.setViewportSize({ width: 390, height: 844 + Math.ceil(height) });
    const rows = page.getByRole('table', { name: 'Sessions' }).getByRole('link', { name: /agent \d$/ });
    await expect(rows.nth(6)).toBeInViewport({ ratio: 1 });
    expect(await overflow(page)).toBeLessThanOrEqual(0);
  });

  test('hides sessions idle for more than a day until the viewer asks for them', async ({
    page,
    runner,
    report,
    openFleet,
  }) => {
    report('recent').read(40_000);
    const old = report('left alone', { at: Date.now() - 30 * 3_600_000, backfill: true });
    old.turn({ at: Date.now() - 29 * 3_600_000, contextTokens: 90_000, usage: { input: 10, output: 10 } });
    await runner.flush();
    await openFleet();
    await expect(row(page, 'recent')).toBeVisible();
    await expect(row(page, 'left alone')).toBeHidden();
    await page.getByRole('button', { name: /^\d+ older$/ }).click();
    await expect(row(page, 'left alone')).toBeVisible();
    await expect(page).toHaveURL(/older=yes/);
  });

  test('keeps its filters in the address', async ({ page, report, openFleet }) => {
    report('calm').read(40_000);
    report('tight').read(180_000);
    await openFleet();
    await expect(row(page, 'calm')).toBeVisible();
    await page.getByRole('button', { name: /^\d+ critical$/ }).click();
    await expect(row(page, 'calm')).toBeHidden();
    await expect(row(page, 'tight')).toBeVisible();
    await expect(page).toHaveURL(/state=critical/);
    await expect(
      page.getByRole('button', { name: '1 nominal' }),
      'counts ignore the filter by state',
    ).toBeVisible();

    const colleague = await page.context().newPage();
    await open(colleague, page.url());
    await expect(row(colleague, 'tight')).toBeVisible();
    await expect(row(colleague, 'calm')).toBeHidden();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await expect(page).not.toHaveURL(/state=/);
  });
});
