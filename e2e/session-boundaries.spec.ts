import { changeSettings } from './support/change-settings';
import { drawnEnd, readPlot, shareAt } from './support/drawing';
import { eventList, fact, openedEvent, plain, pressure, sheet, words } from './support/screen';
import { expect, test } from './support/test';

test.describe('The boundaries of a session', () => {
  test('show the drop of a compaction live', async ({ page, report, api, show }) => {
    const session = report('compacts', { client: 'claude-code' });
    session.read(60_000, 110_000, 160_000);
    const id = await show('compacts');
    await expect(pressure(page)).toContainText('80%');
    await expect.poll(() => drawnEnd(page)).toBeCloseTo(0.8, 2);

    session.compaction({ trigger: 'auto', state: 'confirmed', preTokens: 161_000, durationMs: 61_000 });
    await expect(pressure(page)).toContainText('unknown');
    await expect(pressure(page)).toContainText('since the compaction; last known 160 k');

    session.read(41_000);
    await expect(pressure(page)).toContainText('20%');
    await expect.poll(() => drawnEnd(page)).toBeCloseTo(0.205, 2);
    const plot = await readPlot(page);
    expect(Math.max(...plot.trace.map((y) => shareAt(plot, y)))).toBeCloseTo(0.8, 2);

    // The flag above the boundary, the strip, the list and the opened event agree.
    const flag = sheet(page).locator('svg text').filter({ hasText: '→' });
    const expected = '161 k → 41 kauto, client’s count';
    await expect.poll(async () => plain((await flag.textContent()) ?? '')).toBe(expected);
    await expect(sheet(page).getByRole('button', { name: /^Zoom to / })).toHaveCount(2);
    await expect(eventList(page)).toContainText('compaction');
    const opened = openedEvent(page);
    await expect(opened.getByRole('heading', { level: 2 })).toHaveText('Compaction 1');
    await expect.poll(() => words(opened)).toMatch(/(?=.*auto)(?=.*161 000)(?=.*41 000)/);

    const contexts = await api.contexts(id);
    expect(contexts.map(({ endedBy, peakOccupancy }) => ({ endedBy, peakOccupancy }))).toEqual([
      { endedBy: 'compaction', peakOccupancy: 160_000 },
      { endedBy: null, peakOccupancy: 41_000 },
    ]);
  });

  test('show the drop of a restart live, with its checkpoint', async ({ page, report, api, show }) => {
    const session = report('restarts', { lens: 'cumulative', limit: 100_000, restartLine: 0.9 });
    session.read(30_000, 30_000, 31_000);
    await show('restarts');
    await expect(pressure(page)).toContainText('91%');
    await expect.poll(() => drawnEnd(page)).toBeCloseTo(0.91, 2);

    session.restart({ reason: 'context threshold reached', checkpoint: 'Goal: reach the harbour.' });
    await expect(pressure(page)).toContainText('0%');
    session.read(12_000);
    await expect(pressure(page)).toContainText('12%');
    await expect.poll(() => drawnEnd(page)).toBeCloseTo(0.12, 2);
    await expect(sheet(page).getByRole('button', { name: /^Zoom to / })).toHaveCount(2);
    const opened = openedEvent(page);
    await expect(opened.getByRole('heading', { name: 'Restart 1' })).toBeVisible();
    await expect(opened).toContainText('Goal: reach the harbour.');
    const stored = await api.session(session.key);
    expect(stored).toMatchObject({ continuations: 1, contextCount: 2, used: 12_000, turnCount: 4 });
  });

  test('name one size after a restart, in the head and in the table', async ({ page, report, show }) => {
    const session = report('one size', { limit: 200_000 });
    session.read(60_000, 180_000);
    session.restart({ reason: 'context threshold reached' });
    session.read(12_000);
    await show('one size');
    await expect(page.getByRole('button', { name: '180 k → 12 k' })).toBeVisible();
    await page.getByRole('heading', { name: /^Contexts/ }).click();
    const contexts = page.getByRole('table', { name: 'Contexts of this session' });
    await expect(contexts.getByRole('row').last()).toContainText(/restart\s*12\s000/);
  });

  test('show a change of the limit as a step, with its flag', async ({ page, report, show }) => {
    const session = report('window');
    for (const [tokens, limit] of [
      [90_000, 200_000],
      [150_000, 200_000],
      [190_000, 400_000],
      [240_000, 400_000],
    ] as const) {
      session.turn({
        contextTokens: tokens,
        limit,
        usage: { inputTokens: 10, outputTokens: 10, cacheReadTokens: tokens - 20 },
      });
    }
    await show('window', '?axis=turns');
    const flag = sheet(page).locator('svg text').filter({ hasText: 'window' });
    await expect.poll(async () => plain((await flag.textContent()) ?? '')).toBe('200 k → 400 kwindow');
    const pieces = (width: string) =>
      sheet(page)
        .locator(`line.recharts-reference-line-line[stroke-width="${width}"]`)
        .evaluateAll((lines) =>
          lines.map((line) =>
            ['x1', 'y1', 'x2', 'y2'].map((name) => Math.round(Number(line.getAttribute(name)))),
          ),
        );
    // Limit and restart line are level, rise at the same turn, and are level again.
    for (const width of ['1', '0.75']) {
      const [low = [], rise = [], high = []] = await pieces(width);
      expect([low[1], rise[0], rise[3], high[0]]).toEqual([low[3], rise[2], high[1], rise[2]]);
      expect(low[1]).toBeGreaterThan(high[1] ?? 0);
    }
    // The trace continues upwards through the change.
    const [path = ''] = await sheet(page)
      .locator('path.recharts-line-curve[stroke-width="1.75"]')
      .evaluateAll((paths) => paths.map((one) => one.getAttribute('d') ?? ''));
    const heights = [...path.matchAll(/[ML]-?[\d.]+,(-?[\d.]+)/g)].map(([, y]) => Number(y));
    expect(heights).toEqual(heights.toSorted((a, b) => b - a));
  });

  test('include old boundaries among many events; unreadable and unknown events are reported', async ({
    page,
    report,
    guard,
    show,
  }) => {
    const session = report('long');
    session.read(150_000);
    session.compaction({ trigger: 'auto', state: 'confirmed', preTokens: 151_000 });
    for (let round = 0; round < 105; round += 1) session.read(40_000, 120_000);
    await show('long', '?event=gone.compaction');
    await expect(page.getByText('The event of this link is not in the session')).toBeVisible();
    const list = eventList(page);
    await expect(list.getByRole('button', { name: /compaction/ })).toHaveCount(1);
    await page.getByRole('heading', { name: /^Contexts/ }).click();
    const contexts = page.getByRole('table', { name: 'Contexts of this session' });
    await expect(contexts.getByRole('row')).toHaveCount(3);
    await expect(contexts).toContainText('compaction, auto');
    await expect(list).not.toContainText('session started');

    guard.rest();
    await page.route('**/events?*cursor=*', (route) => route.abort());
    await list.getByRole('button', { name: 'Older events' }).click();
    await expect(list.getByRole('alert')).toHaveText('Older events could not be read.');
    await page.unroute('**/events?*cursor=*');
    await list.getByRole('button', { name: 'Retry' }).click();
    await expect(list).toContainText('session started');
    await expect(list.getByRole('button', { name: /compaction/ })).toHaveCount(1);
  });

  test('follow the states and the restart line of the project', async ({
    page,
    server,
    project,
    report,
    show,
  }) => {
    report('bounds', { lens: 'cumulative', limit: 100_000 }).read(62_000);
    await show('bounds');
    const line = sheet(page).locator('svg text').filter({ hasText: 'restart line' });
    await expect(line).toContainText('90');
    const plot = await readPlot(page);
    const warningFrom = async () => {
      const band = await sheet(page).locator('svg rect[data-state="warning"]').first().boundingBox();
      return shareAt(plot, (band?.y ?? 0) + (band?.height ?? 0));
    };
    expect(await warningFrom()).toBeCloseTo(0.75, 1);
    await changeSettings(server, project, { thresholds: { warning: 0.6, restartLine: 0.7 } });
    await expect.poll(warningFrom).toBeCloseTo(0.6, 1);
    await expect(line).toContainText('70');
    await expect(fact(page, 'until restart line, 70 %')).toContainText(/8.000/);
  });
});
