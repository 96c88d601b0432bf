import type { Page } from '@playwright/test';
import { trace } from './support/drawing';
import {
  eventList,
  fact,
  figures,
  open,
  openedEvent,
  overflow,
  pressure,
  sheet,
  words,
} from './support/screen';
import { expect, test } from './support/test';

const slider = 'Turn under the crosshair';

/** Labels of the sheet that are cut by an edge of the window. */
const cutLabels = (page: Page) =>
  sheet(page).evaluate((drawing) =>
    [...drawing.querySelectorAll('svg text')]
      .filter((text) => text.getBoundingClientRect().right > document.documentElement.clientWidth - 16)
      .map((text) => text.textContent),
  );

/** Names of lines whose paper covers a point of the trace. */
const coveredByLabels = (page: Page) =>
  sheet(page).evaluate((drawing) => {
    const path = drawing.querySelector<SVGPathElement>('path.recharts-line-curve[stroke-width="1.75"]');
    const { left = 0, top = 0 } = path?.ownerSVGElement?.getBoundingClientRect() ?? {};
    const length = path?.getTotalLength() ?? 0;
    const points = Array.from({ length: 400 }, (_, at) => path?.getPointAtLength((length * at) / 399));
    return [...drawing.querySelectorAll('g > rect[fill="var(--paper)"]:has(+ text)')].flatMap((paper) => {
      const box = paper.getBoundingClientRect();
      const isHit = points.some((point) => {
        const [x, y] = [left + (point?.x ?? 0), top + (point?.y ?? 0)];
        return x > box.left && x < box.right && y > box.top && y < box.bottom;
      });
      return isHit ? [paper.nextElementSibling?.textContent] : [];
    });
  });

test.describe('The session page', () => {
  test('shows a chosen time in trace, events and link', async ({ page, runner, project, show }) => {
    const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    const at = (clock: string) => Date.parse(`${yesterday}T${clock}Z`);
    const session = `${project}/times`;
    const turn = (clock: string, contextTokens: number) => {
      const usage = { input: 10, output: 500, cacheCreation: 2_000, cacheRead: contextTokens - 2_510 };
      runner.send({ type: 'turn', session, at: at(clock), contextTokens, usage });
    };
    runner.send({ type: 'session_start', session, at: at('13:00:00'), lens: 'snapshot', limit: 200_000 });
    turn('13:00:20', 60_000);
    turn('14:00:00', 120_000);
    turn('14:02:40', 160_000);
    const compaction = { trigger: 'auto', state: 'confirmed', preTokens: 161_000 } as const;
    runner.send({ type: 'compaction', session, at: at('14:03:10'), ...compaction });
    turn('14:03:30', 41_000);
    turn('15:30:00', 90_000);
    await show('times');

    const field = page.getByRole('textbox', { name: 'Go to a time' });
    const top = async () => (await sheet(page).boundingBox())?.y;
    const before = await top();
    await field.fill('soon');
    await field.press('Enter');
    await expect(page.getByText('For example 14:03')).toBeVisible();
    expect(await top(), 'the hint moves nothing').toBe(before);
    await field.fill(`${yesterday}T14:03:00Z`);
    await field.press('Enter');
    await expect(page).toHaveURL(/[?&]from=/);
    await expect(page).toHaveURL(/[?&]to=/);
    const list = eventList(page);
    await expect(list).toContainText('compaction');
    await expect(list.getByText('session started')).toHaveCount(0);
    const crosshair = page.getByRole('slider', { name: slider });
    await expect(crosshair).toHaveAttribute('aria-valuetext', /turn 3, context 0: 160.000.tokens/);
    // Without a reported duration, the time since the last turn is the upper bound.
    await expect
      .poll(() => words(openedEvent(page)))
      .toContain(
        'dropped 120 000 tokens, 74 % duration, at most 30 s since the last turn summary call not reported re-sent by the next turn 2 010 tokens, uncached',
      );

    // The handles of the strip strike through no words.
    const isStruck = await sheet(page).evaluate((drawing) => {
      const handles = [...drawing.querySelectorAll('[role="slider"][aria-label*="of the range"]')];
      const words = [...drawing.querySelectorAll('button[aria-label^="Zoom to"]')].flatMap((button) => {
        const range = document.createRange();
        range.selectNodeContents(button);
        return [...range.getClientRects()];
      });
      return handles.some((handle) => {
        const { left, right } = handle.getBoundingClientRect();
        return words.some((word) => word.width > 0 && word.left < right && left < word.right);
      });
    });
    expect(isStruck).toBe(false);

    const colleague = await page.context().newPage();
    await open(colleague, page.url());
    await expect(eventList(colleague).getByText('session started')).toHaveCount(0);
    await expect(colleague.getByRole('slider', { name: slider })).toHaveAttribute('aria-valuetext', /turn 3/);
    await colleague.close();

    await field.fill('2001-02-03 14:03');
    await field.press('Enter');
    await expect(page.getByText(/^Not at 3 Feb 2001/)).toBeVisible();
    expect(await top(), 'the note moves nothing').toBe(before);
    await list.getByRole('button', { name: 'All events' }).click();
    await expect(list).toContainText('session started');
    await expect(page).not.toHaveURL(/[?&]at=/);

    // The palette looks for the time on the days of the session.
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('15:30');
    await page.getByRole('option', { name: 'Go to 15:30 in this session' }).click();
    await expect(page).toHaveURL(/[?&]at=/);
    await expect(page).not.toHaveURL(/[?&]time=/);
  });

  test('shows a turn on tap, and ignores the right button', async ({
    browser,
    server,
    runner,
    report,
    api,
  }) => {
    const session = report('tapped');
    session.read(40_000, 80_000, 120_000);
    await runner.flush();
    const { id } = await api.session(session.key);
    const context = await browser.newContext({ hasTouch: true, viewport: { width: 390, height: 844 } });
    const page = await context.newPage();
    await open(page, `${server.url}/sessions/${id}?axis=turns`);
    const box = await page.getByRole('slider', { name: slider }).boundingBox();
    if (box === null) throw new Error('the plot is not on the page');
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    const readout = sheet(page)
      .locator('text')
      .filter({ hasText: /turn \d/ });
    await expect(readout).toHaveCount(0);

    await page.mouse.click(x, y, { button: 'right' });
    const note = sheet(page).getByRole('button', { name: 'Note this moment' });
    await expect(note).toHaveCount(0);
    await page.mouse.move(0, 0);
    await page.touchscreen.tap(x, y);
    await expect(readout).toHaveText(/turn 2/);
    await expect(note).toBeVisible();
    // A new turn does not replace the reading.
    session.read(150_000);
    await expect(pressure(page)).toContainText('75%');
    await expect(readout).toHaveText(/turn 2/);
    await context.close();
  });

  test('shows pressure, countdown, last compaction and chart on a phone without scrolling', async ({
    page,
    report,
    show,
  }) => {
    const session = report('phone', { client: 'claude-code' });
    session.read(60_000, 110_000, 160_000);
    session.turn({ scope: 'side', usage: { inputTokens: 9, outputTokens: 4_000, cacheReadTokens: 160_000 } });
    session.compaction({ trigger: 'auto', state: 'confirmed', preTokens: 164_000, durationMs: 61_000 });
    session.read(41_000);
    const height = 740;
    await page.setViewportSize({ width: 360, height });
    await show('phone');
    await expect(pressure(page)).toContainText('20%');
    const last = figures(page).getByRole('heading', { name: /^last compaction/ });
    const cost = last.locator('..');
    await expect
      .poll(() => words(cost))
      .toMatch(/auto 164 k → 41 k 123 k dropped \(75 %\) in 61 s summary call read 160 k, wrote 4.0 k$/);
    expect(await coveredByLabels(page), 'no label covers the trace').toEqual([]);
    const named = sheet(page).locator('g > rect[fill="var(--paper)"] + text');
    expect(await named.filter({ hasNotText: /[a-z]{4}/ }).allTextContents(), 'lines have names').toEqual([]);
    for (const part of [page.getByRole('heading', { level: 1 }), pressure(page), cost, trace(page)]) {
      const box = await part.boundingBox();
      expect((box?.y ?? height) + (box?.height ?? 0)).toBeLessThanOrEqual(height);
    }
    await expect.poll(() => overflow(page)).toBeLessThanOrEqual(0);

    await expect(fact(page, 'model')).toBeHidden();
    await page.getByRole('button', { name: 'All figures' }).click();
    await expect(fact(page, 'model')).toBeVisible();
    const cumulative = page.getByRole('button', { name: 'Cumulative', exact: true });
    await expect(cumulative).toBeHidden();
    await page.getByRole('button', { name: 'View and export' }).click();
    await cumulative.click();
    await expect(page).toHaveURL(/lens=cumulative/);

    await cost.getByTitle('Open it below').click();
    await expect(page).toHaveURL(/[?&]event=/);
    await expect.poll(() => words(openedEvent(page))).toContain('164 000');
    await cost.locator('.why').click();
    await expect.poll(() => words(page.getByRole('dialog'))).toContain('160 000');
  });

  test('shows figures, chart, cache and the first events at 1440 × 900 without scrolling', async ({
    page,
    runner,
    report,
    show,
  }) => {
    const client = { client: 'desk-agent', clientVersion: '1.0', limit: 200_000 };
    const earlier = report('earlier', client);
    earlier.read(150_000);
    earlier.compaction({ trigger: 'auto', state: 'confirmed', preTokens: 164_000 });
    earlier.read(30_000);
    await runner.flush();
    const place = { folder: '/srv/web-shop', branch: 'feat/strict-types' };
    const session = report('desk', { ...client, ...place, model: 'claude-sonnet-4-5-20250929' });
    session.read(60_000, 110_000, 160_000);
    session.compaction({ trigger: 'manual', state: 'confirmed', preTokens: 164_000, durationMs: 61_000 });
    session.turn({
      contextTokens: 41_000,
      usage: { inputTokens: 9, outputTokens: 900, cacheReadTokens: 40_091 },
    });
    await page.setViewportSize({ width: 1440, height: 900 });
    await show('desk');
    await expect(sheet(page)).toContainText('learned from');
    const newest = eventList(page).getByRole('button', { name: /compaction/ });
    await expect(newest).toBeInViewport({ ratio: 1 });
    await expect(eventList(page).getByRole('button').nth(3)).toBeInViewport({ ratio: 1 });
    // Facts in two rows of four, each of them complete.
    await expect(figures(page).locator('dl > div')).toHaveCount(8);
    await expect(fact(page, 'folder, branch')).toHaveText('/srv/web-shop, feat/strict-types');
    const cut = await figures(page)
      .locator('dd, dd span')
      .evaluateAll((all) =>
        all
          .filter(({ scrollWidth, clientWidth }) => clientWidth > 0 && scrollWidth > clientWidth)
          .map(({ textContent }) => textContent),
      );
    expect(cut).toEqual([]);
    expect(await cutLabels(page)).toEqual([]);
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    expect(height, 'the page is at most 1.3 screens long').toBeLessThanOrEqual(1.3 * 900);
    const totals = page.getByText('input + output so far');
    await expect(totals).toBeHidden();
    await page.getByText('Totals and coverage').click();
    await expect(totals).toBeVisible();
  });

  test('names the recorded tokens of a session without a main turn', async ({
    page,
    runner,
    report,
    show,
  }) => {
    const helper = report('helper only');
    helper.turn({
      chain: 'helper',
      contextTokens: 44_000,
      usage: { inputTokens: 10, outputTokens: 990, cacheReadTokens: 43_000 },
    });
    const begun = Date.now() - 3_600_000;
    const read = report('read only', { at: begun, backfill: true });
    runner.send({ type: 'reading', session: read.key, at: begun + 60_000, contextTokens: 151_000 });
    await show('helper only');
    await expect(sheet(page)).toContainText(/1.turn of sub-agents, none of the main conversation yet/);
    await expect(sheet(page)).not.toContainText('No turns yet');
    await page.getByText('Totals and coverage').click();
    await expect(page.getByText('input + output so far').locator('..')).toContainText(/1[.,]0.k/);

    await show('read only');
    await expect(pressure(page)).toContainText('75%');
    await expect(page.getByRole('main')).not.toContainText(/no turns? yet/i);
  });

  test('redirects from a merged session to the session that owns its turns', async ({
    page,
    server,
    connect,
    project,
    report,
    api,
    visit,
  }) => {
    const client = { client: 'claude-code', clientSessionId: `${project}-client` };
    const watcher = connect(server, { source: 'hook', runner: { name: 'watcher@desk', host: 'desk' } });
    watcher.session(`${project}/seen`).alias(client);
    await watcher.flush();
    const { id } = await api.session(`${project}/seen`);
    await visit(`/sessions/${id}`);
    const title = page.getByRole('heading', { level: 1 });
    await expect(title).toHaveText(`${project}/seen`);

    const owner = report('owner', { lens: 'cumulative', limit: 100_000 });
    owner.alias(client);
    owner.read(40_000);
    const gone = page.getByRole('status').filter({ hasText: 'part of another one' });
    await expect(gone).toContainText('Showing its last known data.');
    await gone.getByRole('link', { name: 'Open the session' }).click();
    await expect(title).toHaveText('owner');
    await expect(pressure(page)).toContainText('40%');
    const ownerPage = `${server.url}/sessions/${(await api.session(owner.key)).id}`;
    await expect(page).toHaveURL(ownerPage);
    // An old link redirects, too.
    await visit(`/sessions/${id}`);
    await expect(page).toHaveURL(ownerPage);
  });
});
