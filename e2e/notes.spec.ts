/** Notes of operators at moments of a session. */
import type { Page } from '@playwright/test';
import { expectAccessibleInBoth } from './support/expect-accessible';
import { open, overflow, pressure, sheet } from './support/screen';
import { expect, test } from './support/test';

const list = (page: Page) => page.getByRole('list', { name: 'Notes' });
const dialog = (page: Page) => page.getByRole('dialog', { name: /note at/i });
const mark = (page: Page, text: string) => sheet(page).getByRole('button', { name: text });
const note = (page: Page) => dialog(page).getByRole('textbox', { name: 'Note' });
const author = (page: Page) => dialog(page).getByRole('textbox', { name: /Your name/ });
const edit = (page: Page) => list(page).getByRole('button', { name: /^Edit the note/ });
const crosshair = (page: Page) => page.getByRole('slider', { name: 'Turn under the crosshair' });

/** Presses the trace at a share of its width. */
async function pressTrace(page: Page, share: number): Promise<void> {
  await expect(async () => {
    await crosshair(page).scrollIntoViewIfNeeded();
    const box = await crosshair(page).boundingBox();
    if (box === null) throw new Error('there is no plot');
    await page.mouse.click(box.x + box.width * share, box.y + box.height * 0.5);
    const write = sheet(page).getByRole('button', { name: 'Note this moment' });
    await expect(write).toBeVisible({ timeout: 1_000 });
  }).toPass();
}

test.describe('Notes', () => {
  test.beforeEach(({ report }) => report('noted').read(20_000, 60_000, 90_000, 120_000));

  test('appear for both operators, and lose no edits', async ({ page, browser, guard, show }) => {
    const context = await browser.newContext();
    await guard.watch(context);
    const other = await context.newPage();
    await show('noted');
    await open(other, page.url());
    await expect(pressure(other)).toContainText('60%');

    await pressTrace(page, 0.5);
    await sheet(page).getByRole('button', { name: 'Note this moment' }).click();
    await author(page).fill('Ada');
    await note(page).fill('It reads the same file again and again');
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await expect(dialog(page)).toBeHidden();
    const text = /It reads the same file/;
    await expect(list(other)).toContainText(text);
    await expect(mark(other, 'It reads the same file')).toBeVisible();
    await expect(list(page)).toContainText('Ada');

    // Ada edits a note while Grace saves another text.
    await edit(page).click();
    await note(page).fill('Mine: it loops');
    await edit(other).click();
    await author(other).fill('Grace');
    await note(other).fill('It reads package.json in a loop');
    await dialog(other).getByRole('button', { name: 'Save' }).click();
    await expect(dialog(page).getByRole('status')).toContainText('Grace saved a newer version');
    await expect(dialog(page).getByRole('status')).toContainText('It reads package.json in a loop');
    await expect(note(page)).toHaveValue('Mine: it loops');
    await dialog(page).getByRole('button', { name: 'Save mine instead' }).click();
    await expect(list(other)).toContainText('Mine: it loops');
    await expect(list(other)).toContainText('(edited)');

    await edit(other).click();
    await dialog(other).getByRole('button', { name: 'Delete', exact: true }).click();
    await dialog(other).getByRole('button', { name: 'Delete permanently' }).click();
    await expect(list(page)).toBeHidden();
    await expect(mark(page, 'Mine: it loops')).toBeHidden();
    await context.close();
  });

  test('are written by keyboard at the crosshair, and shown as text', async ({ page, show }) => {
    await show('noted');
    await crosshair(page).focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    await expect(crosshair(page)).toHaveAttribute('aria-valuenow', '2');
    await page.keyboard.press('n');
    await expect(dialog(page)).toContainText('turn 2, 60 k (30 %)');
    await expect(note(page)).toBeFocused();
    await page.keyboard.type('<img src=x onerror=alert(1)>');
    await page.keyboard.press('Enter');
    await page.keyboard.type('**second** line');
    // Escape does not discard the text.
    await page.keyboard.press('Escape');
    await expect(dialog(page).getByRole('alert').last()).toContainText('Your text is not saved.');
    await dialog(page).getByRole('button', { name: 'Keep editing' }).click();
    await expect(note(page)).toBeFocused();
    await page.keyboard.press('Control+Enter');
    await expect(dialog(page)).toBeHidden();
    await expect(list(page)).toContainText('<img src=x onerror=alert(1)>\n**second** line', {
      useInnerText: true,
    });
    await expect(list(page)).toContainText('turn 2');
    expect(await page.locator('main img').count()).toBe(0);
    // In a text field, n is a letter and not a command.
    await page.getByRole('searchbox', { name: 'Search sessions' }).press('n');
    await expect(dialog(page)).toBeHidden();

    const slip = mark(page, 'img src=x');
    await slip.focus();
    await page.keyboard.press('Enter');
    await expect(slip).toHaveAttribute('aria-pressed', 'true');
    await expect(list(page).locator('[aria-current="true"]')).toContainText('second');
    // The address links to the note.
    await expect(page).toHaveURL(/[?&]note=/);
    await page.reload();
    await expect(mark(page, 'img src=x')).toHaveAttribute('aria-pressed', 'true');
  });

  test('have no axe findings with the dialog open, and fit on a phone', async ({ page, show }) => {
    await page.setViewportSize({ width: 360, height: 780 });
    await show('noted');
    await page.getByRole('button', { name: 'Note this moment' }).click();
    await note(page).fill('Narrow');
    await expectAccessibleInBoth(page);
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await mark(page, 'Narrow').focus();
    await expectAccessibleInBoth(page);
    await expect.poll(() => overflow(page)).toBeLessThanOrEqual(0);
  });
});
