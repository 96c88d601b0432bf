import { row } from './support/screen';
import { expect, test } from './support/test';

test.describe('The keyboard', () => {
  test('moves between rows, opens one, and searches', async ({ page, report, openFleet }) => {
    const about = { lens: 'cumulative', limit: 100_000 } as const;
    const sessions = ['first', 'second', 'third'].map((name) => report(name, about));
    const read = (tokens: number) => sessions.map((session, index) => session.read(tokens - index * 1_000));
    read(40_000);
    await openFleet('&sort=pressure');
    const rows = page.getByRole('table', { name: 'Sessions' }).getByRole('row');
    await expect(rows).toHaveCount(4);
    const link = (name: string) => row(page, name).getByRole('link');
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    // Wait for an update: from then on the list handles keys.
    read(30_000);
    await expect(row(page, 'first')).toContainText('70 %');

    await press('j');
    await expect(link('first')).toBeFocused();
    await press('j', 'j', 'j');
    await expect(link('third'), 'the focus stays on the last row').toBeFocused();
    await press('k');
    await expect(link('second')).toBeFocused();

    const answer = page.getByRole('dialog');
    const title = answer.getByRole('heading', { level: 2 });
    await press('e');
    await expect(title).toHaveText(/boundary/i);
    await press('e');
    await expect(title, 'the next number of the row').toHaveText(/context/i);
    await press('Shift+E');
    await expect(title).toHaveText(/boundary/i);
    await press('Escape');
    await expect(answer).toBeHidden();
    await expect(row(page, 'second').locator(':focus'), 'the focus returns').toHaveCount(1);

    await press('Escape', 'j', 'x', 'j', 'x');
    const chosen = page.getByRole('status').filter({ hasText: 'Compare' });
    await expect(chosen).toHaveText('Compare first with second');
    const second = row(page, 'second').getByRole('checkbox');
    await expect(second).toBeChecked();
    await press('x');
    await expect(second).not.toBeChecked();
    await second.check();
    await press('c');
    await expect(page).toHaveURL(/\/compare\?a=[0-9a-f-]{36}&b=[0-9a-f-]{36}$/);
    await expect(page.getByRole('main')).toContainText('second');
    await page.goBack();
    await expect(rows).toHaveCount(4);
    await press('j', 'j');
    await expect(link('second')).toBeFocused();
    await press('Enter');
    await expect(page.getByRole('heading', { level: 1, name: 'second' })).toBeVisible();
    await page.goBack();
    await expect(rows).toHaveCount(4);

    await press('/');
    const search = page.getByRole('searchbox', { name: 'Search sessions' });
    await expect(search).toBeFocused();
    await page.keyboard.type('third j');
    await expect(page).toHaveURL(/q=third/);
    await press('Backspace', 'Backspace');
    await expect(rows).toHaveCount(2);
    await expect(link('third')).toBeVisible();
    await press('Escape');
    await expect(rows).toHaveCount(4);
    await press('Escape');
    await expect(search).not.toBeFocused();

    await press('?');
    const help = page.getByRole('dialog', { name: 'Keys' });
    await expect(help).toBeVisible();
    await press('j');
    await expect(help.locator(':focus'), 'a dialog takes the keys').toHaveCount(1);
    await press('Escape');
    await expect(help).toBeHidden();
  });

  test('reaches every control of the fleet in order', async ({ page, report, openFleet }) => {
    report('only').read(20_000);
    await openFleet();
    await expect(row(page, 'only')).toBeVisible();
    await page.keyboard.press('Tab');
    await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('main')).toBeFocused();
    const target = row(page, 'only').getByRole('link');
    // Each control that receives the focus before the row has a name.
    for (let presses = 0; presses < 80; presses += 1) {
      await page.keyboard.press('Tab');
      if (await target.evaluate((element) => element === document.activeElement)) break;
      await expect(page.locator(':focus')).toHaveAccessibleName(/./);
    }
    await expect(target).toBeFocused();
  });
});
