import { join } from 'node:path';
import { findScenario } from '@/core/scenario/find-scenario';
import { projectFolder } from '@/scripts/lib/project-folder';
import { SERVER_AWAY } from './support/guard';
import { Program } from './support/program';
import { readApi } from './support/read-api';
import { rowsOfScenario, rowsOfServer } from './support/scenario-rows';
import { badge, eventList, open, row } from './support/screen';
import { expect, test } from './support/test';

/** A page without a connection retries after at most fifteen seconds. */
const RETRY_AFTER_MS = 15_000;

test.describe('A server', () => {
  test('killed with -9 during a demo loses and duplicates nothing', async ({
    page,
    context,
    guard,
    ownServer,
    connect,
  }) => {
    guard.allow(SERVER_AWAY);
    await context.clock.install();
    const story = { seed: 7, run: 'killed', minutes: 6 };
    const beforeMs = Date.now();
    // Tall enough for all rows.
    await page.setViewportSize({ width: 1280, height: 1600 });
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

    // The server is killed twice: while the demo sends its past, and while it plays.
    await expect(row(page, 'Nightly reconciliation agent')).toBeVisible();
    await ownServer.kill();
    await expect(badge(page)).not.toHaveText('live');
    await expect(row(page, 'Nightly reconciliation agent')).toBeVisible();
    await ownServer.start();
    await context.clock.fastForward(RETRY_AFTER_MS);
    await demo.waitFor('The demo fleet is running');
    await expect(badge(page)).toHaveText('live');

    const api = readApi(ownServer);
    const watched = await api.session('demo-fleet/killed/10');
    const sessionPage = await context.newPage();
    await open(sessionPage, `${ownServer.url}/sessions/${watched.id}`);
    await ownServer.kill();
    await expect(badge(sessionPage)).not.toHaveText('live');
    await ownServer.start();
    await context.clock.fastForward(RETRY_AFTER_MS);

    expect((await demo.ended).signal).toBeNull();
    expect(demo.stdout).toContain('of 24 sessions');
    expect(demo.stderr).not.toContain('refused');
    // If the demo ended before the server was back, the next client sends the rest from disk.
    const heir = connect(ownServer, { queueFolder: join(ownServer.dataFolder, 'queue') });
    const expected = rowsOfScenario(findScenario('demo-fleet', story), beforeMs);
    await expect.poll(() => rowsOfServer(api)).toMatchObject(expected);
    expect(heir.stats().queued).toBe(0);

    for (const each of [page, sessionPage]) {
      await expect(badge(each)).toHaveText('live');
    }
    await expect(eventList(sessionPage)).toContainText('the demo ended');
    await expect(page.getByRole('table', { name: 'Sessions' })).toHaveAttribute('aria-rowcount', '27');
  });
});
