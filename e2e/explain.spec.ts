import type { Locator } from '@playwright/test';
import { expectAccessibleInBoth } from './support/expect-accessible';
import { fact, figures, fleetPath, open, openedEvent, pressure, row } from './support/screen';
import { expect, test } from './support/test';
import { answer, numbers, openSteady, reportSteady, said } from './support/why';

test.describe('Why?', () => {
  test('explains why another tool shows 719 %', async ({ page, server, runner, project, api }) => {
    const session = runner.session(`${project}/lens`, { title: `Lens ${project}`, lens: 'cumulative' });
    session.turn({ limit: 200_000, usage: { input: 487, output: 5_880, cacheRead: 1_432_262 } });
    await runner.flush();
    const { id, pressure: stored } = await api.session(`${project}/lens`);
    expect(stored).toBe(0.031835);
    await open(page, `${server.url}/sessions/${id}`);

    await page.getByRole('button', { name: 'Cache-inflated' }).click();
    const sentence = page.getByRole('status').filter({ hasText: 'With cache reads counted' });
    await expect(sentence).toContainText('719');
    await expect(sentence).toContainText('a tool that adds them up counts it once a call');
    await sentence.getByRole('button', { name: /How this is calculated/ }).click();
    await expect(answer(page).getByRole('heading')).toHaveText('Cache-inflated lens');
    await expect
      .poll(() => said(page))
      .toContain(
        '( 487 input + 5 880 output + 1 432 262 cache reads ) ÷ 200 000 limit, why? limit = 719.3145 %',
      );
    expect(await said(page)).toContain('No state, forecast or alert uses this lens');
    // The other ways to read the same turn stand beside it.
    expect(await said(page)).toContain(
      'input and output of all turns of this context, over the limit, 3.1835 %',
    );
    expect(await said(page)).toContain('unknown here');
    expect(await said(page)).toMatch(/turn turn 1, \d+ \w+ 20\d\d/);
  });

  test('leads from the pressure to its parts and back', async ({ page, server, runner, project, api }) => {
    await openSteady({ page, server, runner, project, api });
    const number = numbers(pressure(page)).first();
    await expect(number).toContainText('52%');
    await number.focus();
    await page.keyboard.press('Enter');
    await expect(answer(page).getByRole('heading')).toHaveText('Pressure');
    await expect(number).toHaveAttribute('aria-expanded', 'true');
    await expect
      .poll(() => said(page))
      .toContain('104 000 used, why? used ÷ 200 000 limit, why? limit = 52 % pressure');
    expect(await said(page)).toMatch(
      /exact.*lens snapshot.*used reading with the output, turn 12, .*limit the table of models/,
    );

    await answer(page).getByRole('button', { name: '104 000 used, why?' }).click();
    await expect(answer(page).getByRole('heading')).toHaveText('Tokens in use');
    expect(await said(page)).toContain(
      '10 input + 1 500 cache writes + 102 000 cache reads + 490 output = 104 000 tokens',
    );
    await answer(page).getByRole('button', { name: 'back to pressure' }).click();
    await answer(page).getByRole('button', { name: '200 000 limit, why?' }).click();
    await expect(answer(page).getByRole('heading')).toHaveText('Limit');
    expect(await said(page)).toMatch(/the table of models \(.*opus.*\), from .*, read 20\d\d-\d\d-\d\d/);

    await page.keyboard.press('Escape');
    await expect(answer(page)).toBeHidden();
    await expect(number).toBeFocused();
    await expect(number).not.toHaveAttribute('aria-expanded');
  });

  test('computes headline numbers as the read API does', async ({ page, server, runner, project, api }) => {
    const { session } = await openSteady({ page, server, runner, project, api });
    const tokens = (count: number | null) =>
      `${(count ?? Number.NaN).toLocaleString('en').replaceAll(',', ' ')} tokens`;
    const cases: Array<[Locator, string, string]> = [
      [fact(page, 'until it compacts'), 'Tokens until it compacts', `${tokens(167_000 - 104_000)} exact`],
      [fact(page, 'until warning'), 'Tokens until warning', `${tokens(session.tokensUntilWarning)} exact`],
      [
        fact(page, 'until restart line'),
        'Tokens until the restart line',
        `${tokens(session.tokensUntilRestart)} exact`,
      ],
      [
        fact(page, 'burn'),
        'Tokens a minute',
        `${session.tokensPerMinute?.toLocaleString('en').replace(',', ' ')} tokens a minute`,
      ],
      [fact(page, 'open context'), 'Context 0', '0 exact'],
      [fact(page, 'input + output'), 'Tokens spent', '120 tokens exact'],
      [
        figures(page)
          .getByText(/turns?/)
          .first()
          .locator('..'),
        'Turns to the next boundary',
        `≈${session.forecast?.turns?.mid} turns forecast`,
      ],
    ];
    for (const [place, title, result] of cases) {
      const number = (await place.getAttribute('aria-haspopup')) === null ? numbers(place).first() : place;
      await number.click();
      await expect(answer(page).getByRole('heading')).toHaveText(title);
      await expect.poll(() => said(page)).toContain(result);
      await page.keyboard.press('Escape');
      await expect(answer(page)).toBeHidden();
    }
  });

  test('updates with its session while it is open', async ({ page, server, runner, project, api }) => {
    const session = await openSteady({ page, server, runner, project, api });
    await numbers(pressure(page)).first().click();
    await expect.poll(() => said(page)).toContain('52 % pressure');
    session.turn(120_000);
    await expect
      .poll(() => said(page))
      .toContain('120 000 used, why? used ÷ 200 000 limit, why? limit = 60 % pressure');
  });

  test('explains what a compaction freed from its event', async ({ page, server, runner, project, api }) => {
    const session = reportSteady(runner, `${project}/freed`, `Freed ${project}`);
    session.compaction(155_413, 77_000);
    session.turn(59_944);
    await runner.flush();
    const { id } = await api.session(`${project}/freed`);
    await open(page, `${server.url}/sessions/${id}`);
    const opened = openedEvent(page);
    await opened.getByRole('button', { name: /freed, why\?$/ }).click();
    await expect(answer(page).getByRole('heading')).toHaveText('What the compaction freed');
    expect(await said(page)).toContain('155 413 before − 59 944 after = 95 469 tokens freed');
    expect(await said(page)).toContain('before the client’s own count when it compacted');
    expect(await said(page)).toContain('after the first reading after it');
    // Whose count is which: the trace ends with the last turn, and the rest came after it.
    expect(await said(page)).toMatch(
      /155 413 client’s count − [\d ]+ last counted turn = [\d ]+ tokens after that turn/,
    );
    expect(await said(page)).toContain('It took 1.28 min');
    // Who goes on elsewhere is there: the focus is not taken back to the number.
    const search = page.getByRole('banner').getByRole('searchbox');
    await search.click();
    await expect(answer(page)).toBeHidden();
    await expect(search).toBeFocused();
  });

  test('answers for rows, cards, counts and the barcode', async ({ page, server, runner, project }) => {
    reportSteady(runner, `${project}/fleet`, `Fleet ${project}`);
    await runner.flush();
    await page.setViewportSize({ width: 1600, height: 900 });
    await open(page, server.url + fleetPath(project));
    const mine = row(page, `Fleet ${project}`);
    await mine.locator('.c-used').getByRole('button').click();
    await expect(answer(page).getByRole('heading')).toHaveText('Tokens in use');
    await expect(page).toHaveURL(server.url + fleetPath(project));
    await page.keyboard.press('Escape');

    await mine.getByRole('link').focus();
    await page.keyboard.press('e');
    await expect(answer(page).getByRole('heading')).toHaveText('Minutes to the next boundary');
    expect(await said(page)).toContain('the client compacts at 167 000, a rule known of this client');
    expect(await said(page)).toContain('right 80 % of the time');
    await answer(page)
      .getByRole('button', { name: /turns, unrounded, why\?/ })
      .click();
    await expect(answer(page).getByRole('heading')).toHaveText('Turns to the next boundary');
    await answer(page).getByRole('button', { name: 'Close' }).click();
    await expect(answer(page)).toBeHidden();
    // One answer, however many rows: none of it is there until it is asked for.
    await expect(page.locator('.why-answer')).toHaveCount(0);

    await numbers(page.getByRole('region', { name: /^Next to go/ }))
      .first()
      .click();
    await expect(answer(page).getByRole('heading')).toHaveText(/next boundary|Pressure/);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'why? of these counts, why?' }).click();
    await expect(answer(page).getByRole('heading')).toHaveText('Sessions');
    expect(await said(page)).toMatch(/\d+ live \+ \d+ idle \+ \d+ ended = \d+ sessions/);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /^Pressure now/ }).click();
    await expect(answer(page).getByRole('heading')).toHaveText('Place on the barcode');
    expect(await said(page)).toContain('52 % pressure ÷ 110 % end of the axis');
  });

  test('answers for figures of history', async ({ page, server, runner, project, api }) => {
    reportSteady(runner, `${project}/history`, `History ${project}`);
    await runner.flush();
    // History follows the ingest by a moment.
    await expect.poll(async () => (await api.history({ project })).total.peak).not.toBeNull();
    await open(page, `${server.url}/history?project=${encodeURIComponent(project)}`);
    const ask = async (name: RegExp, title: string) => {
      await page.getByRole('button', { name }).first().click();
      await expect(answer(page).getByRole('heading')).toHaveText(title);
      const text = await said(page);
      await page.keyboard.press('Escape');
      return text;
    };
    await expect(page.getByRole('button', { name: /highest peak, why\?/ })).toBeVisible();
    expect(await ask(/highest peak, why\?/, 'Highest peak')).toMatch(/52 % exact/);
    expect(await ask(/tokens in, why\?/, 'Tokens in')).toContain('120 tokens');
    const share = await ask(/from the cache, why\?/, 'Cache share');
    expect(share).toMatch(/÷ \( 120 input \+ [\d ]+ cache reads \+ 18 000 cache writes \) =/);
  });

  test('has no axe findings as popover and phone sheet', async ({ page, server, runner, project, api }) => {
    await openSteady({ page, server, runner, project, api });
    await numbers(figures(page)).nth(1).click();
    await expect(answer(page).locator('.formula').first()).toBeVisible();
    await expectAccessibleInBoth(page);
    await page.keyboard.press('Escape');

    await page.setViewportSize({ width: 360, height: 740 });
    await numbers(pressure(page)).first().click();
    await expect(answer(page).locator('.formula').first()).toBeVisible();
    await expect
      .poll(async () => {
        const box = await answer(page).boundingBox();
        return box === null ? null : [Math.round(box.x), Math.round(box.y + box.height)];
      })
      .toEqual([0, 740]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    await expectAccessibleInBoth(page);
  });

  test('reports unreadable evidence and retries', async ({ page, server, runner, project, api, guard }) => {
    await openSteady({ page, server, runner, project, api });
    guard.rest();
    await page.route('**/evidence', (route) => route.abort());
    await numbers(pressure(page)).first().click();
    await expect(answer(page)).toContainText('could not be read');
    await page.unroute('**/evidence');
    await expect.poll(() => said(page), { timeout: 20_000 }).toContain('52 % pressure');
  });
});
