import { drawnEnd, readPlot, shareAt } from './support/drawing';
import {
  badge,
  eventList,
  fact,
  figures,
  fleetPath,
  open,
  plain,
  pressure,
  row,
  sheet,
} from './support/screen';
import { expect, test } from './support/test';

test.describe('Numbers', () => {
  test('1 432 262 cache reads leave a cumulative session at 3.2 %', async ({
    page,
    server,
    runner,
    api,
    project,
  }) => {
    const title = 'A long read from the cache';
    const told = runner.session(`${project}/cached`, { title, lens: 'cumulative', limit: 200_000 });
    told.turn({ usage: { input: 487, output: 5_880, cacheRead: 1_432_262 } });
    await runner.flush();
    const session = await api.session(`${project}/cached`);
    expect(session.pressure).toBe(6_367 / 200_000);
    expect(((session.pressure ?? 0) * 100).toFixed(1)).toBe('3.2');
    expect(session).toMatchObject({ state: 'nominal', used: 6_367, limit: 200_000 });
    expect(session.totals.main).toEqual({
      input: 487,
      output: 5_880,
      cacheRead: 1_432_262,
      cacheCreation: 0,
      calls: 1,
    });

    await open(page, `${server.url}/sessions/${session.id}`);
    await expect(pressure(page)).toContainText('3.2%');
    // Below 10 % one decimal is shown; the second is on hover.
    await expect(figures(page).getByTitle('3.18\u00a0%')).toBeVisible();
    await expect(figures(page)).not.toContainText('719');
    await expect.poll(() => drawnEnd(page)).toBeCloseTo(0.032, 2);
    await expect(sheet(page)).toContainText('telemetry only');
    await expect(sheet(page)).toContainText('1.43');
    await open(page, server.url + fleetPath(project));
    await expect(row(page, title)).toContainText('3.2 %');
    await expect(row(page, title).getByTitle('3.18\u00a0%')).toBeVisible();
  });

  test('draws a pressure of 1.2 above the line of 100 %', async ({ page, server, runner, api, project }) => {
    const title = 'Past the limit';
    const told = runner.session(`${project}/over`, { title, lens: 'cumulative', limit: 1_000 });
    told.turn({ at: Date.now() - 2_000, usage: { input: 200, output: 200 } });
    told.turn({ at: Date.now() - 1_000, usage: { input: 400, output: 400 } });
    await runner.flush();
    const session = await api.session(`${project}/over`);
    expect(session).toMatchObject({ pressure: 1.2, state: 'redlined', used: 1_200 });

    await open(page, `${server.url}/sessions/${session.id}`);
    await expect(pressure(page)).toContainText('120%');
    await expect.poll(() => drawnEnd(page)).toBeCloseTo(1.2, 2);
    const plot = await readPlot(page);
    const top = Math.min(...plot.trace);
    expect(top, 'the trace ends above the line').toBeLessThan(plot.limit - 10);
    const shares = plot.trace.map((y) => shareAt(plot, y));
    expect(shares[0], 'and began below it').toBeCloseTo(0.4, 2);
    const box = await sheet(page).locator('svg').first().boundingBox();
    expect(top, 'inside the sheet').toBeGreaterThan(box?.y ?? Number.POSITIVE_INFINITY);

    await open(page, server.url + fleetPath(project));
    const mine = row(page, title);
    await expect(mine).toContainText('over limit');
    await expect(mine).toContainText('120 %');
    const bar = await mine.locator('.c-bar path[stroke="var(--bar)"]').boundingBox();
    const axis = await mine.locator('.pressure-bar').boundingBox();
    const limit = (axis?.x ?? 1e9) + (axis?.width ?? 0) / 1.1;
    expect((bar?.x ?? 0) + (bar?.width ?? 0), 'the bar passes the limit’s tick').toBeGreaterThan(limit);
  });

  test('shows lost tracking instead of 0 %', async ({ page, server, runner, project, api }) => {
    const session = runner.session(`${project}/blind`, {
      title: `Blind ${project}`,
      lens: 'cumulative',
      limit: 100_000,
    });
    session.turn({ usage: { input: 40_000, output: 2_000 } });
    await runner.flush();
    const { id } = await api.session(`${project}/blind`);
    const fleet = await page.context().newPage();
    await open(fleet, server.url + fleetPath(project));
    await open(page, `${server.url}/sessions/${id}`);
    await expect(pressure(page)).toContainText('42%');
    await expect(row(fleet, `Blind ${project}`)).toContainText('42 %');

    session.turn({ usage: null });
    await expect(pressure(page)).toContainText('not tracked');
    await expect(pressure(page)).not.toContainText('%');
    await expect(fact(page, 'until the limit')).not.toContainText(/\d/);
    await expect(eventList(page)).toContainText('tracking lost');
    const mine = row(fleet, `Blind ${project}`);
    await expect(mine).toContainText('not tracked');
    await expect(mine).not.toContainText('%');
    await expect(mine.locator('.c-bar path[stroke="var(--bar)"]')).toHaveCount(0);
    expect(await api.session(`${project}/blind`)).toMatchObject({ state: 'untracked', pressure: 0 });

    // It returns with the first usage after the next boundary, and not before.
    session.turn({ usage: { input: 1_000, output: 0 } });
    await expect(page.getByRole('slider', { name: 'Turn under the crosshair' })).toHaveAttribute(
      'aria-valuemax',
      '3',
    );
    await expect(pressure(page)).toContainText('not tracked');
    session.restart();
    session.turn({ usage: { input: 9_000, output: 0 } });
    await expect(pressure(page)).toContainText('9.0%');
    await expect(mine).toContainText('9.0 %');
    await expect(badge(page)).toHaveText('live');
    expect(plain(await eventList(page).innerText())).toContain('tracking resumed');
  });

  test('shows sums without dropped turns as a lower bound', async ({
    page,
    server,
    runner,
    project,
    api,
  }) => {
    const session = runner.session(`${project}/gap`, {
      title: `Gap ${project}`,
      lens: 'cumulative',
      limit: 100_000,
    });
    session.turn({ usage: { input: 30_000, output: 0 } });
    session.gap({ count: 3, reason: 'the queue was full' });
    session.turn({ usage: { input: 20_000, output: 0 } });
    await runner.flush();
    const { id, complete } = await api.session(`${project}/gap`);
    expect(complete).toBe(false);
    await open(page, `${server.url}/sessions/${id}`);
    await expect(pressure(page)).toContainText('≥50%');
    await expect(eventList(page)).toContainText('turns lost');
  });
});
