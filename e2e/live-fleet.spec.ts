import { barLength, figures, open, overflow, row } from './support/screen';
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
    const next = page.getByRole('region', { name: 'Next boundaries' });
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
    // Only states that have sessions are coloured, and a failed archive is no state.
    const failed = page.getByRole('button', { name: '1 with a failed archive' });
    const ink = await page.evaluate(() => getComputedStyle(document.body).color);
    await expect(failed.locator('span').first()).toHaveCSS('color', ink);
    const none = page.getByRole('button', { name: '0 over limit' }).locator('[data-state]');
    const quiet = await none.evaluate((word) => getComputedStyle(word.closest('button') ?? word).color);
    await expect(none).toHaveCSS('color', quiet);
    await failed.click();
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
        session.turn({
          at: begin + turn * 30_000,
          contextTokens,
          usage: { inputTokens: 10, outputTokens: 10 },
        });
      }
    }
    await page.setViewportSize({ width: 390, height: 844 });
    await openFleet();
    const first = page.getByRole('region', { name: 'Next boundaries' }).getByRole('listitem').first();
    const what = first.locator('p').filter({ hasText: /compacts|left/ });
    await expect(what, 'what happens and what is left, each on its line').toHaveCount(2);
    for (const line of await what.all()) expect((await line.boundingBox())?.height).toBeLessThanOrEqual(20);
    // 844 pixels and the line that names the project of this test, which may wrap.
    const filters = page.getByRole('status').filter({ hasText: 'sessions' }).locator('..');
    const { height = 0 } = (await filters.boundingBox()) ?? {};
    await page.setViewportSize({ width: 390, height: 844 + Math.ceil(height) });
    const rows = page.getByRole('table', { name: 'Sessions' }).getByRole('link', { name: /agent \d$/ });
    await expect(rows.nth(6)).toBeInViewport({ ratio: 1 });
    await expect.poll(() => overflow(page)).toBeLessThanOrEqual(0);
  });

  test('hides sessions idle for more than a day until the viewer asks for them', async ({
    page,
    runner,
    report,
    openFleet,
  }) => {
    report('recent').read(40_000);
    const begun = Date.now() - 30 * 3_600_000;
    const old = report('left alone', { at: begun, backfill: true, limit: 200_000 });
    for (let turn = 0; turn < 12; turn += 1) {
      const contextTokens = 60_000 + turn * 3_000;
      old.turn({ at: begun + turn * 60_000, contextTokens, usage: { inputTokens: 10, outputTokens: 10 } });
    }
    await runner.flush();
    await openFleet();
    await expect(row(page, 'recent')).toBeVisible();
    await expect(row(page, 'left alone')).toBeHidden();
    await page.getByRole('button', { name: /^\d+ older$/ }).click();
    await expect(row(page, 'left alone')).toBeVisible();
    await expect(page).toHaveURL(/older=yes/);
    // An idle session has no countdown.
    await row(page, 'left alone').getByRole('link').click();
    const next = figures(page).getByRole('heading', { name: 'next boundary' }).locator('..');
    await expect(next).toContainText(/idle.*at\s*200.k\d+ turns/);
    await expect(next.locator('.display')).toHaveCount(0);
  });

  test('has larger text and a measured width on wide screens', async ({ page, report, openFleet }) => {
    report('wide').read(40_000);
    const sizes = async (width: number, height: number) => {
      await page.setViewportSize({ width, height });
      return page.evaluate(() => {
        const row = document.querySelector('.session-row');
        const [first, second] = ['a', '.sub'].map((selector) => {
          const text = row?.querySelector(selector);
          return text ? Number.parseFloat(getComputedStyle(text).fontSize) : 0;
        });
        const box = row?.getBoundingClientRect();
        return { first, second, width: box?.width ?? 0, height: box?.height ?? 0 };
      });
    };
    await openFleet();
    await expect(row(page, 'wide')).toBeVisible();
    expect(await sizes(1440, 900)).toMatchObject({ first: 13, second: 11, height: 36 });
    for (const [width, height] of [
      [1920, 1080],
      [2560, 1440],
    ] as const) {
      const wide = await sizes(width, height);
      expect(wide.first).toBeGreaterThanOrEqual(15);
      expect(wide.second).toBeGreaterThanOrEqual(12.9);
      expect(wide.height).toBeGreaterThan(40);
      expect(wide.width).toBeLessThanOrEqual(2_000);
      const trace = await row(page, 'wide').locator('.row-trace').boundingBox();
      expect((trace?.width ?? 0) / (trace?.height ?? 1), 'the trace is not flat').toBeLessThan(11);
    }
  });

  test('keeps labels and chips clear of each other while the viewer searches and scrolls', async ({
    page,
    report,
    openFleet,
  }) => {
    const at = Date.now() - 600_000;
    for (let made = 0; made < 16; made += 1) report(`over ${made}`, { at, limit: 100_000 }).read(101_000);
    const low = report('low', { at });
    for (let turn = 0; turn < 12; turn += 1) {
      low.turn({
        at: at + turn * 48_000,
        contextTokens: 10_000 + turn * 4_000,
        usage: { inputTokens: 10, outputTokens: 10 },
      });
    }
    await page.setViewportSize({ width: 1440, height: 500 });
    await openFleet('&q=low');
    await expect(row(page, 'low')).toBeVisible();
    const caption = page.locator('#barcode');
    const rank = page.getByRole('region', { name: /^Pressure now/ }).getByText('1', { exact: true });
    await expect
      .poll(async () => {
        const [words, number] = [await caption.boundingBox(), await rank.boundingBox()];
        return (words?.x ?? 0) + (words?.width ?? 0) - (number?.x ?? 0);
      }, 'the caption ends before the first rank')
      .toBeLessThan(0);

    await openFleet();
    const head = page.getByRole('columnheader', { name: 'state' });
    await expect(row(page, 'over 3')).toBeVisible();
    await page.mouse.move(700, 400);
    await page.mouse.wheel(0, 520);
    await expect.poll(async () => (await head.boundingBox())?.y).toBeLessThan(60);
    // A chip hangs 5 px into the margin: the sticky header covers it there, too.
    const isCovered = () =>
      page.evaluate(() => {
        const head = document.querySelector('.session-head')?.getBoundingClientRect();
        const shadow = getComputedStyle(document.querySelector('.session-list thead') as Element).boxShadow;
        const chips = [...document.querySelectorAll('.session-row [data-state="redlined"]')].map((chip) =>
          chip.getBoundingClientRect(),
        );
        const under = chips.filter(({ top }) => head !== undefined && top < head.bottom && top > 0);
        const out = Math.max(...under.map(({ left }) => (head?.left ?? 0) - left));
        return { some: under.length > 0, room: Number(/-(\d+)px 0px/.exec(shadow)?.[1] ?? 0) - out };
      });
    await expect.poll(isCovered).toMatchObject({ some: true });
    expect((await isCovered()).room).toBeGreaterThanOrEqual(0);
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
