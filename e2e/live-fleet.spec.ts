import { barLength, fleetPath, open, row } from './support/screen';
import { expect, test } from './support/test';

test.describe('The fleet', () => {
  test('shows a new session and its pressure without a reload', async ({
    page,
    server,
    runner,
    project,
    api,
  }) => {
    await open(page, server.url + fleetPath(project));
    const openedAt = await page.evaluate(() => performance.timeOrigin);
    const session = runner.session(`${project}/moves`, {
      title: `Moves ${project}`,
      lens: 'snapshot',
      limit: 100_000,
      model: 'claude-sonnet-4-5-20250929',
    });
    const mine = row(page, `Moves ${project}`);

    const widths: number[] = [];
    for (const [tokens, percent, state] of [
      [31_000, '31 %', 'nominal'],
      [52_000, '52 %', 'elevated'],
      [76_500, '76 %', 'warning'],
      [88_000, '88 %', 'critical'],
      [101_000, '101 %', 'over limit'],
    ] as const) {
      session.turn({ contextTokens: tokens, usage: { input: 1_000, output: 50, cacheRead: tokens - 1_050 } });
      await expect(mine).toContainText(percent);
      await expect(mine.getByRole('cell').first()).toHaveText(state);
      widths.push(await barLength(mine));
    }
    expect(widths).toEqual(widths.toSorted((a, b) => a - b));
    expect(new Set(widths).size).toBe(5);
    // 31 % of the limit is drawn 31 % of the way to it, on an axis that ends at 110 %.
    expect((widths[0] ?? 0) / (widths[4] ?? 1)).toBeCloseTo(31 / 101, 2);
    expect(await page.evaluate(() => performance.timeOrigin)).toBe(openedAt);

    const stored = await api.session(`${project}/moves`);
    expect(stored).toMatchObject({ used: 101_000, pressure: 1.01, state: 'redlined', turnCount: 5 });
  });

  test('lists the session that runs out first at the top of next to go', async ({
    page,
    server,
    runner,
    project,
  }) => {
    await open(page, server.url + fleetPath(project));
    const begin = Date.now() - 10 * 60_000;
    for (const [name, input] of Object.entries({ slow: 1_000, fast: 8_000 })) {
      const facts = { title: `${name} ${project}`, lens: 'cumulative', limit: 200_000, at: begin } as const;
      const session = runner.session(`${project}/${name}`, facts);
      for (let turn = 1; turn <= 10; turn += 1) {
        session.turn({ at: begin + turn * 55_000, usage: { input, output: 100 } });
      }
    }
    const next = page.getByRole('region', { name: 'Next to go' });
    await expect(next.getByRole('link').first()).toContainText(`fast ${project}`);
    await expect(row(page, `fast ${project}`)).toContainText('40 %');
    const rows = page.getByRole('table', { name: 'Sessions' }).getByRole('row');
    await expect(rows.nth(1)).toContainText(`fast ${project}`);
    await expect(rows.nth(2)).toContainText(`slow ${project}`);
  });

  test('shows a running compaction and a transcript that was not kept', async ({
    page,
    server,
    runner,
    project,
  }) => {
    const begin = (title: string) =>
      runner.session(`${project}/${title}`, {
        title: `${title} ${project}`,
        lens: 'snapshot',
        limit: 200_000,
      });
    const session = begin('Compacts');
    const other = begin('Waits');
    for (const contextTokens of [150_000, 160_000])
      session.turn({ contextTokens, usage: { input: 10, output: 10 } });
    other.turn({ contextTokens: 170_000, usage: { input: 10, output: 10 } });
    await open(page, server.url + fleetPath(project));
    const mine = row(page, `Compacts ${project}`);
    await expect(mine).toContainText('80 %');
    await expect(mine).not.toContainText('compacting now');

    session.compaction({ trigger: 'auto', state: 'pending' });
    session.archive({ trigger: 'auto', state: 'failed', reason: 'no space left on device' });
    await expect(mine).toContainText('compacting now');
    const next = page.getByRole('region', { name: 'Next to go' });
    await expect(next.getByRole('listitem').first()).toContainText('compacting now');
    const rows = page.getByRole('table', { name: 'Sessions' }).getByRole('row');
    await expect(rows.nth(1), 'first in the order').toContainText(`Compacts ${project}`);
    await mine.getByRole('link', { name: `Compacts ${project}` }).click();
    await expect(page.getByRole('region', { name: 'Barogram' })).toBeVisible();
    await expect(page.getByRole('main').getByText('compacting now')).toBeVisible();
    await page.goBack();

    session.compaction({ trigger: 'auto', state: 'confirmed', preTokens: 160_000, postTokens: 4_000 });
    session.turn({ contextTokens: 30_000, usage: { input: 10, output: 10 } });
    await expect(mine).toContainText('15 %');
    await expect(mine).not.toContainText('compacting now');

    await page.getByRole('button', { name: '1 with a failed archive' }).click();
    await expect(row(page, `Waits ${project}`)).toBeHidden();
    await mine.getByRole('link', { name: 'archive failed' }).click();
    await expect(page).toHaveURL(/\/transcripts\?session=.+&state=failed/);
    await expect(page.getByText('no space left on device').first()).toBeVisible();
  });

  test('keeps its filters in the address', async ({ page, server, runner, project }) => {
    for (const [name, input] of Object.entries({ calm: 20_000, tight: 90_000 })) {
      const facts = { title: `${name} ${project}`, lens: 'cumulative', limit: 100_000 } as const;
      runner.session(`${project}/${name}`, facts).turn({ usage: { input, output: 0 } });
    }
    await runner.flush();
    await open(page, server.url + fleetPath(project));
    await expect(row(page, `calm ${project}`)).toBeVisible();
    await page.getByRole('button', { name: /^\d+ critical$/ }).click();
    await expect(row(page, `calm ${project}`)).toBeHidden();
    await expect(row(page, `tight ${project}`)).toBeVisible();
    await expect(page).toHaveURL(/state=critical/);
    await expect(
      page.getByRole('button', { name: /^\d+ nominal$/ }),
      'a count says what the other filters leave',
    ).toHaveAccessibleName('1 nominal');

    const link = page.url();
    const colleague = await page.context().newPage();
    await open(colleague, link);
    await expect(row(colleague, `tight ${project}`)).toBeVisible();
    await expect(row(colleague, `calm ${project}`)).toBeHidden();

    await page.getByRole('button', { name: 'Clear filters' }).click();
    await expect(page).not.toHaveURL(/state=/);
  });
});
