import { readFileSync } from 'node:fs';
import { expectAccessibleInBoth } from './support/expect-accessible';
import { words } from './support/screen';
import { expect, test } from './support/test';

const TURNS = 450;

test.describe('The turns of a session', () => {
  test('scroll, open by number or keyboard, and show on the chart', async ({ page, report, show }) => {
    const session = report('long', { lens: 'cumulative', limit: 1_000_000 });
    for (let n = 1; n <= TURNS; n += 1) session.turn({ usage: { inputTokens: 1_000 + n, outputTokens: 7 } });
    session.turn({ usage: null });
    await show('long');

    const table = page.getByRole('table', { name: 'Turns', exact: true });
    await expect(table).toHaveCount(0);
    await page.getByRole('button', { name: 'Turn by turn' }).click();
    const row = (n: number) =>
      table
        .getByRole('row')
        .filter({ has: page.getByRole('button', { name: `Show turn ${n} on the chart` }) });
    await expect(row(1)).toContainText('1\u202f001');
    await expect(table).toHaveAttribute('aria-rowcount', String(TURNS + 2));
    // Only visible rows exist.
    expect(await table.getByRole('row').count()).toBeLessThan(60);

    await page.getByLabel('go to turn').fill('300');
    await page.getByRole('button', { name: 'Go', exact: true }).click();
    await expect(row(300)).toContainText('1\u202f300');
    await expect(row(300).getByRole('button')).toBeFocused();
    await page.keyboard.press('ArrowDown');
    await expect(row(301).getByRole('button')).toBeFocused();
    await page.keyboard.press('End');
    await expect(row(TURNS + 1).getByRole('button')).toBeFocused();
    await expect(row(TURNS + 1)).toContainText('not tracked');
    await page.keyboard.press('Home');
    await expect(row(1)).toContainText('1\u202f001');
    await expectAccessibleInBoth(page);

    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/[?&]at=/);

    session.turn({ usage: { inputTokens: 5_555, outputTokens: 7 } });
    await expect(table).toHaveAttribute('aria-rowcount', String(TURNS + 3));
    await row(1).getByRole('button').press('End');
    await expect(row(TURNS + 2)).toContainText('5\u202f555');

    // Many turns at once fill the last page and start another one.
    for (let n = 0; n < 60; n += 1) session.turn({ usage: { inputTokens: 7_000 + n, outputTokens: 7 } });
    await expect(table).toHaveAttribute('aria-rowcount', String(TURNS + 63));
    await page.getByLabel('go to turn').fill('500');
    await page.getByRole('button', { name: 'Go', exact: true }).click();
    await expect(row(500)).toContainText('7\u202f047');
  });

  test('can be filtered by context and exported', async ({ page, report, api, show }) => {
    const session = report('parts', { lens: 'cumulative', limit: 100_000 });
    for (const input of [11_000, 12_000])
      session.turn({ usage: { inputTokens: input, outputTokens: 0 }, model: '=1+1' });
    session.restart({ reason: 'full' });
    session.read(13_000, 14_000, 15_000);
    const id = await show('parts');
    const contexts = await api.contexts(id);
    await page.getByRole('button', { name: 'Turn by turn' }).click();
    const table = page.getByRole('table', { name: 'Turns', exact: true });
    await expect(table).toHaveAttribute('aria-rowcount', '6');
    await page
      .getByRole('combobox', { name: 'context', exact: true })
      .selectOption(String(contexts[1]?.index));
    await expect(table).toHaveAttribute('aria-rowcount', '4');
    await expect(table.getByRole('row').nth(1)).toContainText('13\u202f000');
    await expect.poll(() => words(table.getByRole('row').nth(3))).toMatch(/15 000.*42 000.*42 %/);

    const save = async (name: string) => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name }).click(),
      ]);
      return { name: download.suggestedFilename(), text: readFileSync(await download.path(), 'utf8') };
    };
    const turns = await save('Export turns as CSV');
    expect(turns.name).toBe(`barograph-turns-${id}.csv`);
    const lines = turns.text.trimEnd().split('\r\n');
    expect(lines[0]).toMatch(/^turn,chain,context,/);
    expect(lines).toHaveLength(6);
    expect(lines[1]).toContain(",'=1+1,11000,");
    const events = await save('Export events as JSON');
    expect(JSON.parse(events.text)).toMatchObject({ nextCursor: null });
    expect(events.text).toContain('"kind":"restart"');
  });
});
