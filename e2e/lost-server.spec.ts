import { join } from 'node:path';
import { findScenario } from '@/core/scenario/find-scenario';
import { Program } from './support/program';
import { projectFolder } from './support/project-folder';
import { readApi } from './support/read-api';
import { rowsOfScenario, rowsOfServer } from './support/scenario-rows';
import { badge, eventList, open, plain, pressure, row } from './support/screen';
import { expect, test } from './support/test';

/** What a browser says about a server that is away or on its way up, and nothing else. */
const LOST =
  /WebSocket connection to|ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE|503 \(Service Unavailable\)/;
/** A lost page is stale after ten seconds and looks again after at most fifteen. */
const RETURN_TIMEOUT_MS = 30_000;

test.describe('A lost server', () => {
  test('leaves the old picture, says since when, and catches up at its return', async ({
    page,
    context,
    guard,
    ownServer,
    connect,
    project,
  }) => {
    guard.allow(LOST);
    const runner = connect(ownServer);
    const session = runner.session('patient', { title: 'Patient', lens: 'cumulative', limit: 100_000 });
    const turn = () => session.turn({ usage: { input: 2_000, output: 0 } });
    for (let i = 0; i < 5; i += 1) turn();
    await runner.flush();
    const { id } = await readApi(ownServer).session('patient');
    const sessionPage = await context.newPage();
    await open(page, ownServer.url);
    await open(sessionPage, `${ownServer.url}/sessions/${id}`);
    await expect(row(page, 'Patient')).toContainText('10 %');
    await expect(pressure(sessionPage)).toContainText('10%');
    for (const each of [page, sessionPage]) await expect(badge(each)).toHaveText('live');
    const openedAt = await page.evaluate(() => performance.timeOrigin);

    await ownServer.stop();
    for (const each of [page, sessionPage]) await expect(badge(each)).toHaveText('reconnecting');
    // The runner goes on: what it hands over waits on its disk.
    for (let i = 0; i < 20; i += 1) turn();
    expect((await runner.flush(1)).delivered).toBe(false);
    await expect(row(page, 'Patient')).toContainText('10 %');
    await expect(pressure(sessionPage)).toContainText('10%');
    for (const each of [page, sessionPage]) {
      await expect(badge(each)).toHaveText('stale', { timeout: 15_000 });
      await expect(each.getByRole('banner')).toContainText(/since \d\d:\d\d/);
    }
    await expect(row(page, 'Patient')).toContainText('10 %');

    await ownServer.start();
    expect((await runner.flush(RETURN_TIMEOUT_MS)).delivered).toBe(true);
    for (const each of [page, sessionPage]) {
      await expect(badge(each)).toHaveText('live', { timeout: RETURN_TIMEOUT_MS });
    }
    await expect(row(page, 'Patient')).toContainText('50 %');
    await expect(pressure(sessionPage)).toContainText('50%');
    await expect(eventList(sessionPage)).toContainText(/turn\s*25/);
    expect(await page.evaluate(() => performance.timeOrigin)).toBe(openedAt);

    const api = readApi(ownServer);
    expect(await api.session('patient')).toMatchObject({ turnCount: 25, used: 50_000, complete: true });
    expect((await api.turns(id)).map(({ number }) => number)).toEqual(
      Array.from({ length: 25 }, (_, index) => index + 1),
    );
    expect((await api.sessions()).map((each) => each.project)).toEqual([project]);
  });

  test('killed with -9 in the middle of a demo loses and doubles nothing', async ({
    page,
    context,
    guard,
    ownServer,
  }) => {
    test.setTimeout(120_000);
    guard.allow(LOST);
    const story = { seed: 7, run: 'killed', minutes: 12 };
    const beforeMs = Date.now();
    await open(page, ownServer.url);
    const demo = new Program(
      process.execPath,
      [
        join(projectFolder, 'node_modules', '.bin', 'barograph'),
        ...['demo', '--scenario', 'demo-fleet', '--seed', '7', '--run', story.run],
        ...['--minutes', String(story.minutes), '--speed', '60'],
      ],
      { home: ownServer.home, environment: ownServer.environment },
    );

    // Once while its history pours in, and once while it plays.
    await expect(row(page, 'Nightly reconciliation agent')).toBeVisible();
    await ownServer.kill();
    await expect(badge(page)).not.toHaveText('live');
    await expect(row(page, 'Nightly reconciliation agent')).toBeVisible();
    await ownServer.start();
    await demo.waitFor('The fleet is at work');
    await expect(badge(page)).toHaveText('live', { timeout: RETURN_TIMEOUT_MS });

    const api = readApi(ownServer);
    const watched = await api.session('demo-fleet/killed/10');
    const sessionPage = await context.newPage();
    await open(sessionPage, `${ownServer.url}/sessions/${watched.id}`);
    await ownServer.kill();
    await expect(badge(sessionPage)).not.toHaveText('live');
    await ownServer.start();

    expect(await demo.ended, demo.stderr).toEqual({ code: 0, signal: null });
    expect(demo.stdout).toContain('of 24 sessions');
    const expected = rowsOfScenario(findScenario('demo-fleet', story), beforeMs);
    const stored = await rowsOfServer(api);
    expect(Object.keys(stored).toSorted()).toEqual(Object.keys(expected).toSorted());
    for (const [key, rows] of Object.entries(expected)) expect(stored[key], key).toEqual(rows);

    // And the screens have caught up by themselves.
    for (const each of [page, sessionPage]) {
      await expect(badge(each)).toHaveText('live', { timeout: RETURN_TIMEOUT_MS });
    }
    const { totals } = await api.session('demo-fleet/killed/10');
    await expect
      .poll(async () => plain(await eventList(sessionPage).innerText()))
      .toMatch(new RegExp(`turn\\s+${totals.main.calls}\\b`));
    await expect(page.getByRole('table', { name: 'Sessions' })).toHaveAttribute('aria-rowcount', '25');
  });
});
