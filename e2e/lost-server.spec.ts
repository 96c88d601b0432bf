import { SERVER_AWAY } from './support/guard';
import { readApi } from './support/read-api';
import { badge, eventList, open, pressure, row } from './support/screen';
import { expect, test } from './support/test';

/** A page is stale ten seconds after it lost its server. */
const STALE_AFTER_MS = 11_000;
/** A page without a connection retries after at most fifteen seconds. */
const RETRY_AFTER_MS = 15_000;
const RETURN_TIMEOUT_MS = 120_000;

test.describe('A lost server', () => {
  test('leaves the last data and its time on a page, which catches up later', async ({
    page,
    context,
    guard,
    ownServer,
    connect,
    project,
  }) => {
    guard.allow(SERVER_AWAY);
    await context.clock.install();
    const runner = connect(ownServer);
    const session = runner.session('patient', { title: 'Patient', lens: 'cumulative', limit: 100_000 });
    const turn = () => session.turn({ usage: { inputTokens: 2_000, outputTokens: 0 } });
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

    // A slow stop takes longer than a page stays without a mark, so the badges are read during it.
    await Promise.all([
      ownServer.stop(),
      ...[page, sessionPage].map((each) => expect(badge(each)).toHaveText('reconnecting')),
    ]);
    // The runner queues its items on disk.
    for (let i = 0; i < 20; i += 1) turn();
    expect((await runner.flush(1)).delivered).toBe(false);
    await expect(row(page, 'Patient')).toContainText('10 %');
    await expect(pressure(sessionPage)).toContainText('10%');
    await context.clock.fastForward(STALE_AFTER_MS);
    for (const each of [page, sessionPage]) {
      await expect(badge(each)).toHaveText('stale');
      await expect(each.getByRole('banner')).toContainText(/since \d\d:\d\d/);
    }
    await expect(row(page, 'Patient')).toContainText('10 %');
    const colours = () =>
      row(page, 'Patient').evaluate((element) => {
        const muted = document.createElement('i');
        muted.style.color = 'var(--ink2)';
        element.append(muted);
        const shown = [muted, element.querySelector('a'), element.querySelector('[data-state]')].map(
          (part) => part && getComputedStyle(part).color,
        );
        muted.remove();
        return new Set(shown).size;
      });
    expect(await colours(), 'nothing on a stale fleet has the colour of a state').toBe(1);

    await ownServer.start();
    await context.clock.fastForward(RETRY_AFTER_MS);
    expect((await runner.flush(RETURN_TIMEOUT_MS)).delivered).toBe(true);
    for (const each of [page, sessionPage]) {
      await expect(badge(each)).toHaveText('live', { timeout: RETURN_TIMEOUT_MS });
    }
    await expect(row(page, 'Patient')).toContainText('50 %');
    expect(await colours()).toBeGreaterThan(1);
    await expect(pressure(sessionPage)).toContainText('50%');
    await expect(eventList(sessionPage)).toContainText('nominal → elevated');
    expect(await page.evaluate(() => performance.timeOrigin)).toBe(openedAt);

    const api = readApi(ownServer);
    expect(await api.session('patient')).toMatchObject({ turnCount: 25, used: 50_000, complete: true });
    expect((await api.turns(id)).map(({ number }) => number)).toEqual(
      Array.from({ length: 25 }, (_, index) => index + 1),
    );
    expect((await api.sessions()).map((each) => each.project)).toEqual([project]);
  });
});
