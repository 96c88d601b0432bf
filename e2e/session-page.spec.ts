import { trace } from './support/drawing';
import { eventList, fact, figures, open, openedEvent, plain, pressure, sheet } from './support/screen';
import { expect, test } from './support/test';

test.describe('The session page', () => {
  test('explains another lens in the numbers of this session, and keeps it in the address', async ({
    page,
    runner,
    project,
    show,
  }) => {
    const session = runner.session(`${project}/lens`, {
      title: `Lens ${project}`,
      lens: 'cumulative',
      limit: 200_000,
    });
    session.turn({ usage: { input: 487, output: 5_880, cacheRead: 1_432_262 } });
    await show(`${project}/lens`);
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
    await own.click();
    await expect(sentence).toBeHidden();
    await expect(page).not.toHaveURL(/lens=/);
  });

  test('shows a time in the trace, in the events and in a link', async ({ page, runner, project, show }) => {
    const at = (clock: string) =>
      Date.parse(`${new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)}T${clock}Z`);
    const session = `${project}/times`;
    const turn = (clock: string, contextTokens: number) =>
      runner.send({
        type: 'turn',
        session,
        at: at(clock),
        contextTokens,
        usage: { input: 10, output: 500, cacheCreation: 2_000, cacheRead: contextTokens - 2_510 },
      });
    runner.send({ type: 'session_start', session, at: at('13:00:00'), lens: 'snapshot', limit: 200_000 });
    turn('13:00:20', 60_000);
    turn('14:00:00', 120_000);
    turn('14:02:40', 160_000);
    runner.send({
      type: 'compaction',
      session,
      at: at('14:03:10'),
      trigger: 'auto',
      state: 'confirmed',
      preTokens: 161_000,
    });
    turn('14:03:30', 41_000);
    turn('15:30:00', 90_000);
    await show(session);

    const field = page.getByRole('textbox', { name: 'Go to a time' });
    const utc = `${new Date(at('14:03:00')).toISOString().slice(0, 10)}T14:03:00Z`;
    await field.fill(utc);
    await field.press('Enter');
    await expect(page).toHaveURL(/[?&]from=/);
    await expect(page).toHaveURL(/[?&]to=/);
    const list = eventList(page);
    await expect(list).toContainText('compaction');
    await expect(list.getByText('session started')).toHaveCount(0);
    const slider = page.getByRole('slider', { name: 'Turn under the crosshair' });
    await expect(slider).toHaveAttribute('aria-valuetext', /turn 3, context 0: 160.000.tokens/);
    // No source reported the duration, so the time since the turn before is its upper bound.
    const opened = openedEvent(page);
    await expect
      .poll(async () => plain(await opened.innerText()).replaceAll(/\s+/g, ' '))
      .toContain(
        'dropped 120 000 tokens, 74 % took at most 30 s since the turn before it its summary call not reported re-sent by the next turn 2 010 tokens, uncached',
      );

    const colleague = await page.context().newPage();
    await open(colleague, page.url());
    await expect(eventList(colleague).getByText('session started')).toHaveCount(0);
    await expect(colleague.getByRole('slider', { name: 'Turn under the crosshair' })).toHaveAttribute(
      'aria-valuetext',
      /turn 3/,
    );
    await colleague.close();

    await field.fill('2001-02-03 14:03');
    await field.press('Enter');
    await expect(page.getByText(/^Not at 3 Feb 2001/)).toBeVisible();
    await list.getByRole('button', { name: 'All events' }).click();
    await expect(list).toContainText('session started');
    await expect(page).not.toHaveURL(/[?&]at=/);

    // By the palette: the time alone is enough, on the session's own days.
    await page.keyboard.press('Control+k');
    // As the browser's own clock says it.
    const clock = await page.evaluate(
      (ms) => new Date(ms).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' }),
      at('15:30:00'),
    );
    await page.getByRole('combobox').fill(clock);
    await page.getByRole('option', { name: `Go to ${clock} in this session` }).click();
    await expect(page).toHaveURL(/[?&]at=/);
    await expect(page).not.toHaveURL(/[?&]time=/);
  });

  test('reads a turn at a tap, and ignores other mouse buttons', async ({
    browser,
    server,
    runner,
    project,
    api,
  }) => {
    const session = runner.session(`${project}/tapped`, { lens: 'snapshot', limit: 200_000 });
    for (const contextTokens of [40_000, 80_000, 120_000]) {
      session.turn({ contextTokens, usage: { input: 10, output: 500, cacheRead: contextTokens - 10 } });
    }
    await runner.flush();
    const { id } = await api.session(`${project}/tapped`);
    const context = await browser.newContext({ hasTouch: true, viewport: { width: 390, height: 844 } });
    const page = await context.newPage();
    await open(page, `${server.url}/sessions/${id}?axis=turns`);
    const slider = page.getByRole('slider', { name: 'Turn under the crosshair' });
    const box = await slider.boundingBox();
    if (box === null) throw new Error('the plot is not on the page');
    const readout = sheet(page)
      .locator('text')
      .filter({ hasText: /turn \d/ });
    await expect(readout).toHaveCount(0);

    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2, { button: 'right' });
    const note = sheet(page).getByRole('button', { name: 'Note this moment' });
    await expect(note).toHaveCount(0);
    await page.mouse.move(0, 0);
    await page.touchscreen.tap(box.x + box.width / 2, box.y + box.height / 2);
    await expect(readout).toHaveText(/turn 2/);
    await expect(note).toBeVisible();
    // The reading is the turn's own: another one that comes does not take its place.
    session.turn({ contextTokens: 150_000, usage: { input: 10, output: 500, cacheRead: 149_990 } });
    await expect(pressure(page)).toContainText('75%');
    await expect(readout).toHaveText(/turn 2/);
    await context.close();
  });

  test('shows pressure, countdown, last compaction and chart on a phone without scrolling', async ({
    page,
    server,
    runner,
    project,
    api,
  }) => {
    const session = runner.session(`${project}/phone`, {
      title: `Phone ${project}`,
      lens: 'snapshot',
      client: 'claude-code',
      limit: 200_000,
    });
    const turn = (contextTokens: number) =>
      session.turn({ contextTokens, usage: { input: 10, output: 500, cacheRead: contextTokens - 510 } });
    for (const tokens of [60_000, 110_000, 160_000]) turn(tokens);
    session.turn({ scope: 'side', usage: { input: 9, output: 4_000, cacheRead: 160_000 } });
    session.compaction({ trigger: 'auto', state: 'confirmed', preTokens: 164_000, durationMs: 61_000 });
    turn(41_000);
    await runner.flush();
    const { id } = await api.session(`${project}/phone`);
    const [width, height] = [360, 740];
    await page.setViewportSize({ width, height });
    await open(page, `${server.url}/sessions/${id}`);
    await expect(pressure(page)).toContainText('20%');
    const cost = figures(page)
      .getByRole('heading', { name: /^last compaction/ })
      .locator('..');
    await expect
      .poll(async () => plain(await cost.innerText()).replaceAll(/\s+/g, ' '))
      .toMatch(
        /auto 164 k → 41 k client counted 164 k, last turn 160 k 123 k dropped \(75 %\) in 61 s summary call read 160 k, wrote 4.0 k$/,
      );
    for (const part of [page.getByRole('heading', { level: 1 }), pressure(page), cost, trace(page)]) {
      const box = await part.boundingBox();
      expect((box?.y ?? height) + (box?.height ?? 0)).toBeLessThanOrEqual(height);
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);

    await expect(fact(page, 'model')).toBeHidden();
    await page.getByRole('button', { name: 'All figures' }).click();
    await expect(fact(page, 'model')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Cumulative', exact: true })).toBeHidden();
    await page.getByRole('button', { name: 'View and export' }).click();
    await page.getByRole('button', { name: 'Cumulative', exact: true }).click();
    await expect(page).toHaveURL(/lens=cumulative/);

    // "Why?" separates the two counts of one context.
    await cost.getByTitle('Open it below').click();
    await expect(page).toHaveURL(/[?&]event=/);
    const opened = openedEvent(page);
    await expect
      .poll(async () => plain(await opened.innerText()))
      .toContain('164 000 by the client’s count when it compacted; the last turn had read 160 000');
  });

  test('redirects from a session that was merged into another one', async ({
    page,
    server,
    runner,
    connect,
    project,
    api,
  }) => {
    const client = { client: 'claude-code', clientSessionId: `${project}-client` };
    const watcher = connect(server, { source: 'hook', runner: { name: 'watcher@desk', host: 'desk' } });
    watcher.session(`${project}/seen`).alias(client);
    await watcher.flush();
    const { id } = await api.session(`${project}/seen`);
    await open(page, `${server.url}/sessions/${id}`);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(`${project}/seen`);

    const owner = runner.session(`${project}/owner`, { title: `Owner ${project}`, limit: 100_000 });
    owner.alias(client);
    owner.turn({ usage: { input: 40_000, output: 0 } });
    await runner.flush();
    const gone = page.getByRole('status').filter({ hasText: 'part of another one' });
    await expect(gone).toContainText('Showing its last known data.');
    await gone.getByRole('link', { name: 'Open the session' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(`Owner ${project}`);
    await expect(pressure(page)).toContainText('40%');
    const ownerId = (await api.session(`${project}/owner`)).id;
    await expect(page).toHaveURL(`${server.url}/sessions/${ownerId}`);
    // An old link leads there, too.
    await open(page, `${server.url}/sessions/${id}`);
    await expect(page).toHaveURL(`${server.url}/sessions/${ownerId}`);
  });
});
