import { drawnEnd, readPlot, shareAt } from './support/drawing';
import { eventList, fleetPath, open, plain, pressure, row, sheet } from './support/screen';
import { expect, test } from './support/test';

test.describe('The session page', () => {
  test('shows the drop at a compaction while one looks', async ({ page, server, runner, project, api }) => {
    const session = runner.session(`${project}/compacts`, {
      title: `Compacts ${project}`,
      lens: 'snapshot',
      client: 'claude-code',
      limit: 200_000,
    });
    const turn = (contextTokens: number) =>
      session.turn({
        contextTokens,
        usage: { input: 10, output: 500, cacheCreation: 2_000, cacheRead: contextTokens - 2_510 },
      });
    for (const tokens of [60_000, 110_000, 160_000]) turn(tokens);
    await runner.flush();
    const { id } = await api.session(`${project}/compacts`);
    await open(page, `${server.url}/sessions/${id}`);
    await expect(pressure(page)).toContainText('80%');
    await expect.poll(() => drawnEnd(page)).toBeCloseTo(0.8, 2);

    session.compaction({ trigger: 'auto', state: 'confirmed', preTokens: 161_000, durationMs: 61_000 });
    await expect(pressure(page)).toContainText('unknown');
    await expect(pressure(page)).toContainText('since the compaction; last known 160 k');

    turn(41_000);
    await expect(pressure(page)).toContainText('20%');
    await expect.poll(() => drawnEnd(page)).toBeCloseTo(0.205, 2);
    const plot = await readPlot(page);
    expect(Math.max(...plot.trace.map((y) => shareAt(plot, y)))).toBeCloseTo(0.8, 2);

    // The flag over the tear, the strip, the list and the opened event tell the same.
    const flag = sheet(page).locator('svg text').filter({ hasText: '→' });
    await expect.poll(async () => plain((await flag.textContent()) ?? '')).toBe('161 k → 41 kauto');
    await expect(sheet(page).getByRole('button', { name: /^Zoom to / })).toHaveCount(2);
    await expect(eventList(page)).toContainText('compaction');
    const opened = page.getByRole('region', { name: 'Opened event' });
    await expect(opened.getByRole('heading')).toHaveText('Compaction 1');
    await expect(opened).toContainText('auto');
    await expect.poll(async () => plain(await opened.innerText())).toContain('161 000');
    await expect.poll(async () => plain(await opened.innerText())).toContain('41 000');

    const contexts = await api.contexts(id);
    expect(contexts.map(({ endedBy, peakOccupancy }) => ({ endedBy, peakOccupancy }))).toEqual([
      { endedBy: 'compaction', peakOccupancy: 160_000 },
      { endedBy: null, peakOccupancy: 41_000 },
    ]);
  });

  test('shows the drop at a restart while one looks, and its checkpoint', async ({
    page,
    server,
    runner,
    project,
    api,
  }) => {
    const session = runner.session(`${project}/restarts`, {
      title: `Restarts ${project}`,
      lens: 'cumulative',
      limit: 100_000,
      restartLine: 0.9,
    });
    const turn = (input: number) => session.turn({ usage: { input, output: 0, cacheRead: 50_000 } });
    for (const input of [30_000, 30_000, 31_000]) turn(input);
    await runner.flush();
    const { id } = await api.session(`${project}/restarts`);
    await open(page, `${server.url}/sessions/${id}`);
    await expect(pressure(page)).toContainText('91%');
    await expect.poll(() => drawnEnd(page)).toBeCloseTo(0.91, 2);

    session.restart({ reason: 'context threshold reached', checkpoint: 'Goal: reach the harbour.' });
    await expect(pressure(page)).toContainText('0%');
    turn(12_000);
    await expect(pressure(page)).toContainText('12%');
    await expect.poll(() => drawnEnd(page)).toBeCloseTo(0.12, 2);
    await expect(sheet(page).getByRole('button', { name: /^Zoom to / })).toHaveCount(2);
    const opened = page.getByRole('region', { name: 'Opened event' });
    await expect(opened.getByRole('heading', { name: 'Restart 1' })).toBeVisible();
    await expect(opened).toContainText('Goal: reach the harbour.');

    const stored = await api.session(`${project}/restarts`);
    expect(stored).toMatchObject({ continuations: 1, contextCount: 2, used: 12_000, turnCount: 4 });
  });

  test('ends a context at a clear', async ({ page, server, runner, project, api }) => {
    const session = runner.session(`${project}/clears`, { lens: 'cumulative', limit: 10_000 });
    session.turn({ usage: { input: 6_000, output: 0 } });
    await runner.flush();
    const { id } = await api.session(`${project}/clears`);
    await open(page, `${server.url}/sessions/${id}`);
    await expect(pressure(page)).toContainText('60%');
    session.clear();
    session.turn({ usage: { input: 1_000, output: 0 } });
    await expect(pressure(page)).toContainText('10%');
    await expect(eventList(page)).toContainText('cleared');
    expect((await api.contexts(id)).map(({ endedBy }) => endedBy)).toEqual(['clear', null]);
  });

  test('explains another lens in this session’s own numbers, and keeps it in the address', async ({
    page,
    server,
    runner,
    project,
    api,
  }) => {
    const session = runner.session(`${project}/lens`, {
      title: `Lens ${project}`,
      lens: 'cumulative',
      limit: 200_000,
    });
    session.turn({ usage: { input: 487, output: 5_880, cacheRead: 1_432_262 } });
    await runner.flush();
    const { id } = await api.session(`${project}/lens`);
    await open(page, `${server.url}/sessions/${id}`);
    const own = page.getByRole('button', { name: 'Cumulative', exact: true });
    await expect(own).toHaveAttribute('aria-pressed', 'true');

    await page.getByRole('button', { name: 'Cache-inflated' }).click();
    const sentence = page.getByRole('status').filter({ hasText: 'With cache reads counted' });
    await expect
      .poll(async () => plain(await sentence.innerText()))
      .toContain(
        'With cache reads counted turn 1 would read 719 %: 1 432 262 of its 1 438 629 tokens came from the cache.',
      );
    await expect(page).toHaveURL(/lens=cache-inflated/);
    await expect(pressure(page)).toContainText('3.2%');

    await page.getByRole('button', { name: 'Turns', exact: true }).click();
    await expect(page).toHaveURL(/axis=turns/);
    const colleague = await page.context().newPage();
    await open(colleague, page.url());
    await expect(colleague.getByRole('button', { name: 'Cache-inflated' })).toHaveAttribute(
      'aria-pressed',
      'true',
    );
    await expect(colleague.getByRole('button', { name: 'Turns', exact: true })).toHaveAttribute(
      'aria-pressed',
      'true',
    );
    await expect(colleague.getByRole('status').filter({ hasText: '719' })).toBeVisible();

    await own.click();
    await expect(sentence).toBeHidden();
    await expect(page).not.toHaveURL(/lens=/);
  });

  test('is reached from its row and leads back to its project', async ({ page, server, runner, project }) => {
    const session = runner.session(`${project}/walk`, {
      title: `Walk ${project}`,
      lens: 'cumulative',
      limit: 1_000,
    });
    session.turn({ usage: { input: 100, output: 0 } });
    await open(page, server.url + fleetPath(project));
    await row(page, `Walk ${project}`).getByRole('link').click();
    await expect(page.getByRole('heading', { level: 1, name: `Walk ${project}` })).toBeVisible();
    await expect(page).toHaveTitle(`Walk ${project} · Barograph`);
    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: project }).click();
    await expect(page).toHaveURL(server.url + fleetPath(project));
    await expect(row(page, `Walk ${project}`)).toBeVisible();
  });
});
