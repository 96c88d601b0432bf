import { drawnEnd, readPlot, shareAt } from './support/drawing';
import { badge, eventList, fact, figures, fleetPath, open, pressure, row, sheet } from './support/screen';
import { expect, test } from './support/test';

test.describe('Numbers', () => {
  test('1 432 262 cache reads leave a cumulative session at 3.2 %', async ({
    page,
    report,
    openFleet,
    api,
    show,
  }) => {
    const reported = report('cached', { lens: 'cumulative' });
    reported.turn({ usage: { inputTokens: 487, outputTokens: 5_880, cacheReadTokens: 1_432_262 } });
    await show('cached');
    expect(await api.session(reported.key)).toMatchObject({
      pressure: 6_367 / 200_000,
      state: 'nominal',
      used: 6_367,
      limit: 200_000,
      totals: { main: { input: 487, output: 5_880, cacheRead: 1_432_262, cacheCreation: 0, calls: 1 } },
    });
    await expect(pressure(page)).toContainText('3.2%');
    // Below 10 %, one decimal is shown, and two on hover.
    await expect(figures(page).getByTitle('3.18\u00a0%')).toBeVisible();
    await expect(figures(page)).not.toContainText('719');
    await expect.poll(() => drawnEnd(page)).toBeCloseTo(0.032, 2);
    await expect(sheet(page)).toContainText('telemetry only');
    await expect(sheet(page)).toContainText('1.43');
    await openFleet();
    await expect(row(page, 'cached')).toContainText('3.2 %');
    await expect(row(page, 'cached').getByTitle('3.18\u00a0%')).toBeVisible();
  });

  test('draws a pressure of 1.2 above the line of 100 %', async ({ page, report, openFleet, api, show }) => {
    const reported = report('over', { lens: 'cumulative', limit: 1_000 });
    reported.turn({ at: Date.now() - 2_000, usage: { inputTokens: 200, outputTokens: 200 } });
    reported.turn({ at: Date.now() - 1_000, usage: { inputTokens: 400, outputTokens: 400 } });
    await show('over');
    const session = await api.session(reported.key);
    expect(session).toMatchObject({ pressure: 1.2, state: 'redlined', used: 1_200 });
    await expect(pressure(page)).toContainText('120%');
    await expect.poll(() => drawnEnd(page)).toBeCloseTo(1.2, 2);
    const plot = await readPlot(page);
    const top = Math.min(...plot.trace);
    expect(top, 'the trace ends above the line').toBeLessThan(plot.limit - 10);
    expect(shareAt(plot, plot.trace[0] ?? 0), 'and began below it').toBeCloseTo(0.4, 2);
    const box = await sheet(page).locator('svg').first().boundingBox();
    expect(top, 'inside the sheet').toBeGreaterThan(box?.y ?? Number.POSITIVE_INFINITY);

    await openFleet();
    const mine = row(page, 'over');
    await expect(mine).toContainText('over limit');
    await expect(mine).toContainText('120 %');
    const bar = await mine.locator('.c-bar path[stroke="var(--bar)"]').boundingBox();
    const axis = await mine.locator('.pressure-bar').boundingBox();
    const limit = (axis?.x ?? 1e9) + (axis?.width ?? 0) / 1.1;
    expect((bar?.x ?? 0) + (bar?.width ?? 0), 'the bar passes the limit’s tick').toBeGreaterThan(limit);
  });

  test('shows lost tracking instead of 0 %', async ({ page, server, report, project, api, show }) => {
    const session = report('blind', { lens: 'cumulative', limit: 100_000 });
    session.read(42_000);
    await show('blind');
    const fleet = await page.context().newPage();
    await open(fleet, server.url + fleetPath(project));
    const mine = row(fleet, 'blind');
    await expect(pressure(page)).toContainText('42%');
    await expect(mine).toContainText('42 %');

    session.turn({ usage: null });
    await expect(pressure(page)).toContainText('not tracked');
    await expect(pressure(page)).not.toContainText('%');
    await expect(fact(page, 'until the limit')).not.toContainText(/\d/);
    await expect(eventList(page)).toContainText('tracking lost');
    await expect(mine).toContainText('not tracked');
    await expect(mine).not.toContainText('%');
    await expect(mine.locator('.c-bar path[stroke="var(--bar)"]')).toHaveCount(0);
    expect(await api.session(session.key)).toMatchObject({ state: 'untracked', pressure: 0 });

    // Tracking resumes only after the next boundary.
    session.read(1_000);
    const slider = page.getByRole('slider', { name: 'Turn under the crosshair' });
    await expect(slider).toHaveAttribute('aria-valuemax', '3');
    await expect(pressure(page)).toContainText('not tracked');
    session.restart();
    session.read(9_000);
    await expect(pressure(page)).toContainText('9.0%');
    await expect(mine).toContainText('9.0 %');
    await expect(badge(page)).toHaveText('live');
    await expect(eventList(page)).toContainText('tracking resumed');
  });

  test('shows sums as a lower bound after dropped turns', async ({ page, report, api, show }) => {
    const session = report('gap', { lens: 'cumulative', limit: 100_000 });
    session.read(30_000);
    session.gap({ count: 3, reason: 'the queue was full' });
    session.read(20_000);
    await show('gap');
    expect((await api.session(session.key)).complete).toBe(false);
    await expect(pressure(page)).toContainText('≥50%');
    await expect(eventList(page)).toContainText('turns lost');
  });
});
