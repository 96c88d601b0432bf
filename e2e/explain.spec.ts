import { expectAccessibleInBoth } from './support/expect-accessible';
import { figures, openedEvent, overflow, pressure, row } from './support/screen';
import { expect, test } from './support/test';
import { answer, numbers, reportSteady, said } from './support/why';

test.describe('Why?', () => {
  test('explains why another tool shows 719 %', async ({ page, report, show }) => {
    const session = report('lens', { lens: 'cumulative' });
    session.turn({ usage: { inputTokens: 487, outputTokens: 5_880, cacheReadTokens: 1_432_262 } });
    await show('lens');

    await page.getByRole('button', { name: 'Cache-inflated' }).click();
    const sentence = page.getByRole('status').filter({ hasText: 'With cache reads counted' });
    await expect(page).toHaveURL(/lens=cache-inflated/);
    await expect(sentence).toContainText('719');
    await expect(sentence).toContainText('a tool that adds up cache reads counts the context once per call');
    await sentence.getByRole('button', { name: /How this is calculated/ }).click();
    await expect(answer(page).getByRole('heading')).toHaveText('Cache-inflated lens');
    await expect
      .poll(() => said(page))
      .toContain(
        '( 487 input + 5 880 output + 1 432 262 cache reads ) ÷ 200 000 limit, why? limit = 719.3145 %',
      );
    expect(await said(page)).toContain('No state, forecast or alert uses this lens');
    // The answer lists the other readings of the same turn.
    expect(await said(page)).toContain(
      'input and output of all turns of this context, over the limit, 3.1835 %',
    );
    expect(await said(page)).toContain('unknown here');
    expect(await said(page)).toMatch(/turn turn 1, \d+ \w+ 20\d\d/);
  });

  test('leads from the pressure to its parts and back', async ({ page, report, show }) => {
    reportSteady(report);
    await show('steady');
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

    // The headline is the sum, not its first part.
    await page.getByText('Totals and coverage').click();
    const spent = page.getByText('input + output so far', { exact: true }).locator('..').locator('.why');
    await expect(spent).toContainText('6.0');
    await spent.click();
    await expect(answer(page).getByRole('heading')).toHaveText('Input and output');
    await expect.poll(() => said(page)).toMatch(/^Input and output Close 6 000 tokens exact/);
    expect(await said(page)).toContain('120 input + 5 880 output = 6 000 tokens');
  });

  test('updates the open explanation with its session', async ({ page, report, show }) => {
    const session = reportSteady(report);
    await show('steady');
    await numbers(pressure(page)).first().click();
    await expect.poll(() => said(page)).toContain('52 % pressure');
    session.read(120_000);
    await expect
      .poll(() => said(page))
      .toContain('120 000 used, why? used ÷ 200 000 limit, why? limit = 60 % pressure');
  });

  test('explains what a compaction freed from its event', async ({ page, report, show }) => {
    const session = reportSteady(report);
    session.compaction({ trigger: 'auto', state: 'confirmed', preTokens: 155_413, durationMs: 77_000 });
    session.read(59_944);
    await show('steady');
    const opened = openedEvent(page);
    await opened.getByRole('button', { name: /freed, why\?$/ }).click();
    await expect(answer(page).getByRole('heading')).toHaveText('Tokens freed');
    expect(await said(page)).toContain('155 413 before − 59 944 after = 95 469 tokens freed');
    expect(await said(page)).toContain('before the client’s own count when it compacted');
    expect(await said(page)).toContain('after the first reading after the compaction');
    // The client's count includes tokens after the last counted turn.
    expect(await said(page)).toMatch(
      /155 413 client’s count − [\d ]+ last counted turn = [\d ]+ tokens after that turn/,
    );
    expect(await said(page)).toContain('It took 1.28 min');
    // The focus stays in the search field and does not return to the number.
    const search = page.getByRole('banner').getByRole('searchbox');
    await search.click();
    await expect(answer(page)).toBeHidden();
    await expect(search).toBeFocused();
  });

  test('explains the numbers of rows, cards and counts', async ({ page, report, openFleet }) => {
    reportSteady(report);
    await page.setViewportSize({ width: 1600, height: 900 });
    await openFleet();
    const address = page.url();
    const mine = row(page, 'steady');
    await mine.locator('.c-used').getByRole('button').click();
    await expect(answer(page).getByRole('heading')).toHaveText('Tokens in use');
    await expect(page).toHaveURL(address);
    await page.keyboard.press('Escape');

    await mine.getByRole('link').focus();
    await page.keyboard.press('e');
    await expect(answer(page).getByRole('heading')).toHaveText('Minutes to the next boundary');
    expect(await said(page)).toContain('the client compacts at 167 000, by a rule for this client');
    expect(await said(page)).toContain('right 80 % of the time');
    await answer(page)
      .getByRole('button', { name: /turns, unrounded, why\?/ })
      .click();
    await expect(answer(page).getByRole('heading')).toHaveText('Turns to the next boundary');
    await answer(page).getByRole('button', { name: 'Close' }).click();
    await expect(answer(page)).toBeHidden();
    // All rows share one popover, which is rendered only while it is open.
    await expect(page.locator('.why-answer')).toHaveCount(0);

    await numbers(page.getByRole('region', { name: /^Next boundaries/ }))
      .first()
      .click();
    await expect(answer(page).getByRole('heading')).toHaveText(/next boundary|Pressure/);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'these counts, why?' }).click();
    await expect(answer(page).getByRole('heading')).toHaveText('Sessions');
    expect(await said(page)).toMatch(/\d+ live \+ \d+ idle \+ \d+ ended = \d+ sessions/);
  });

  test('has no axe findings as a popover and as a sheet on a phone', async ({ page, report, show }) => {
    reportSteady(report);
    await show('steady');
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
    await expect.poll(() => overflow(page)).toBeLessThanOrEqual(0);
    await expectAccessibleInBoth(page);
  });

  test('reports unreadable evidence and retries', async ({ page, report, show, guard }) => {
    reportSteady(report);
    await show('steady');
    guard.rest();
    await page.route('**/evidence', (route) => route.abort());
    await numbers(pressure(page)).first().click();
    await expect(answer(page)).toContainText('could not be read');
    await page.unroute('**/evidence');
    await expect.poll(() => said(page)).toContain('52 % pressure');
  });
});
