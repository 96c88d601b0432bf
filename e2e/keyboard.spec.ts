import { fleetPath, open, row } from './support/screen';
import { expect, test } from './support/test';

test.describe('The keyboard', () => {
  test('moves between rows, opens one, and searches', async ({ page, server, runner, project }) => {
    const about = { lens: 'cumulative', limit: 100_000 } as const;
    const sessions = ['first', 'second', 'third'].map((name) =>
      runner.session(`${project}/${name}`, { title: `${name} ${project}`, ...about }),
    );
    const turn = (input: number) => {
      for (const [index, session] of sessions.entries())
        session.turn({ usage: { input: input - index * 1_000, output: 0 } });
    };
    turn(40_000);
    await runner.flush();
    await open(page, `${server.url}${fleetPath(project)}&sort=pressure`);
    const rows = page.getByRole('table', { name: 'Sessions' }).getByRole('row');
    await expect(rows).toHaveCount(4);
    const link = (name: string) => row(page, `${name} ${project}`).getByRole('link');
    // A list that moves is awake.
    turn(30_000);
    await expect(row(page, `first ${project}`)).toContainText('70 %');

    await page.keyboard.press('j');
    await expect(link('first')).toBeFocused();
    await page.keyboard.press('j');
    await expect(link('second')).toBeFocused();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await expect(link('third'), 'the last row is the last').toBeFocused();
    await page.keyboard.press('k');
    await expect(link('second')).toBeFocused();

    const answer = page.getByRole('dialog');
    await page.keyboard.press('e');
    await expect(answer.getByRole('heading', { level: 2 })).toHaveText(/boundary/i);
    await page.keyboard.press('e');
    await expect(answer.getByRole('heading', { level: 2 }), 'the next number of the row').toHaveText(
      /context/i,
    );
    await page.keyboard.press('Shift+E');
    await expect(answer.getByRole('heading', { level: 2 })).toHaveText(/boundary/i);
    await page.keyboard.press('Escape');
    await expect(answer).toBeHidden();

    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    const chosen = page.getByRole('status').filter({ hasText: 'Compare' });
    await expect(chosen).toHaveText(`Compare first ${project} with second ${project}`);
    await expect(row(page, `second ${project}`).getByRole('checkbox')).toBeChecked();
    await page.keyboard.press('x');
    await expect(row(page, `second ${project}`).getByRole('checkbox')).not.toBeChecked();
    await row(page, `second ${project}`).getByRole('checkbox').check();
    await page.keyboard.press('c');
    await expect(page).toHaveURL(/\/compare\?a=[0-9a-f-]{36}&b=[0-9a-f-]{36}$/);
    await expect(page.getByRole('main')).toContainText(`second ${project}`);
    await page.goBack();
    await expect(rows).toHaveCount(4);
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await expect(link('second')).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { level: 1, name: `second ${project}` })).toBeVisible();
    await page.goBack();
    await expect(rows).toHaveCount(4);

    await page.keyboard.press('/');
    const search = page.getByRole('searchbox', { name: 'Search sessions' });
    await expect(search).toBeFocused();
    await page.keyboard.type('third j');
    await expect(page).toHaveURL(/q=third/);
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Backspace');
    await expect(rows).toHaveCount(2);
    await expect(link('third')).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(rows).toHaveCount(4);
    await page.keyboard.press('Escape');
    await expect(search).not.toBeFocused();

    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keys' });
    await expect(help).toBeVisible();
    await page.keyboard.press('j');
    await expect(help.locator(':focus'), 'a dialog takes the keys').toHaveCount(1);
    await page.keyboard.press('Escape');
    await expect(help).toBeHidden();
  });

  test('reaches every control of the fleet in order', async ({ page, server, runner, project }) => {
    runner
      .session(`${project}/only`, { title: `only ${project}`, lens: 'cumulative', limit: 100 })
      .turn({ usage: { input: 10, output: 0 } });
    await runner.flush();
    await open(page, server.url + fleetPath(project));
    await expect(row(page, `only ${project}`)).toBeVisible();
    await page.keyboard.press('Tab');
    await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('main')).toBeFocused();
    const target = row(page, `only ${project}`).getByRole('link');
    // However many controls lie between: each has a name and shows its focus.
    for (let presses = 0; presses < 80; presses += 1) {
      await page.keyboard.press('Tab');
      if (await target.evaluate((element) => element === document.activeElement)) break;
      const focused = page.locator(':focus');
      await expect(focused).toHaveAccessibleName(/./);
    }
    await expect(target).toBeFocused();
  });
});
