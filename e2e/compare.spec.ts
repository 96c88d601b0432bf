/** Comparisons of two sessions or two contexts. */
import type { Page } from '@playwright/test';
import { expectAccessible, expectAccessibleInBoth } from './support/expect-accessible';
import { open, overflow, plain } from './support/screen';
import { expect, test } from './support/test';

const traces = (page: Page) => page.getByRole('region', { name: 'Traces' });
const figure = (page: Page, name: string) =>
  page
    .getByRole('table', { name: 'Figures of both, side by side' })
    .getByRole('row')
    .filter({ has: page.getByRole('rowheader', { name, exact: true }) });

async function cells(page: Page, name: string): Promise<string[]> {
  return (await figure(page, name).getByRole('cell').allInnerTexts()).map(plain);
}

test.describe('A comparison', () => {
  let first = '';
  let second = '';
  test.beforeEach(async ({ report, runner, api, project }) => {
    const steep = report('steep', { title: `steep ${project}` });
    steep.read(40_000, 110_000, 170_000);
    steep.compaction({ trigger: 'auto', state: 'confirmed', preTokens: 170_000 });
    steep.read(30_000, 60_000);
    const slow = report('slow', { title: `slow ${project}` });
    slow.read(20_000, 30_000, 40_000, 50_000, 60_000, 70_000, 104_000);
    await runner.flush();
    first = (await api.session(steep.key)).id;
    second = (await api.session(slow.key)).id;
  });

  test('shows which of two sessions filled faster', async ({ page, server, project }) => {
    await open(page, `${server.url}/sessions/${first}`);
    await page.getByRole('link', { name: 'Compare with…' }).click();
    await page.getByRole('searchbox', { name: 'Choose the session to compare with' }).fill(`slow ${project}`);
    const offers = page.getByRole('list', { name: 'Choose the session to compare with' }).getByRole('button');
    // A click while results arrive may hit a row that moves away.
    await expect(offers).toHaveCount(1);
    await offers.filter({ hasText: `slow ${project}` }).click();
    await expect(page).toHaveURL(`${server.url}/compare?a=${first}&b=${second}`);
    await expect(figure(page, 'turns')).toBeVisible();
    await expect.poll(() => cells(page, 'to 50 %, turns')).toEqual(['2 turns', '7 turns', '+5']);
    await expect.poll(() => cells(page, 'to 80 %, turns')).toEqual(['3 turns', 'never', '–\nno difference']);
    await expect.poll(() => cells(page, 'compactions')).toEqual(['1', '0', '−1']);

    const line = (name: string) => traces(page).locator(`path[data-trace="${name}"]`);
    await expect(line('a')).not.toHaveAttribute('stroke-dasharray');
    await expect(line('b')).toHaveAttribute('stroke-dasharray', '7 4');
    const slider = traces(page).getByRole('slider', { name: 'Turn under the crosshair' });
    await slider.focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    await expect(slider).toHaveAttribute('aria-valuetext', /^turn 2: A 110.000 tokens, B 30.000 tokens$/);
    await expect(traces(page)).toContainText('B − A −80.0 k');

    await page.getByRole('radio', { name: 'Minutes' }).click();
    await expect(page).toHaveURL(/&by=minutes$/);
    await expect(traces(page).getByRole('slider', { name: 'Minute under the crosshair' })).toBeVisible();
    await page.getByRole('button', { name: 'Swap A and B' }).click();
    await expect(page).toHaveURL(`${server.url}/compare?a=${second}&b=${first}&by=minutes`);
    await expect.poll(() => cells(page, 'compactions')).toEqual(['0', '1', '+1']);
  });

  test('updates live for two contexts of one session', async ({ page, server, runner, project }) => {
    await open(page, `${server.url}/compare?a=${first}`);
    await page.getByRole('button', { name: 'context 0 with 1' }).click();
    await expect(page).toHaveURL(`${server.url}/compare?a=${first}.0&b=${first}.1`);
    await expect.poll(() => cells(page, 'turns')).toEqual(['3', '2', '−1']);
    runner
      .session(`${project}/steep`)
      .turn({ contextTokens: 120_000, usage: { inputTokens: 10, outputTokens: 500 } });
    await expect.poll(() => cells(page, 'turns')).toEqual(['3', '3', 'equal']);
    expect((await cells(page, 'to 50 %, turns')).slice(0, 2)).toEqual(['2 turns', '3 turns']);
  });

  test('names a missing side and offers a choice', async ({ page, server }) => {
    const unknown = '00000000-0000-4000-8000-000000000000';
    await open(page, `${server.url}/compare?a=${unknown}&b=${second}`);
    await expect(page.getByText('No session with this id')).toBeVisible();
    await expect(page.getByRole('link', { name: /^slow/ })).toBeVisible();
    await open(page, `${server.url}/compare?a=${first}.9&b=${second}`);
    await expect(page.getByText('has no context 9.')).toBeVisible();
    await open(page, `${server.url}/compare`);
    await expect(page.getByRole('searchbox', { name: 'Choose the first session' })).toBeVisible();
  });

  test('has no axe findings in both themes at any width', async ({ page, server }) => {
    await page.setViewportSize({ width: 360, height: 780 });
    await open(page, `${server.url}/compare?a=${first}&b=${second}`);
    await expect(figure(page, 'turns')).toBeVisible();
    await expect.poll(() => overflow(page)).toBeLessThanOrEqual(0);
    await expectAccessibleInBoth(page);
    await open(page, `${server.url}/compare?a=${first}`);
    await expect(page.getByRole('list', { name: 'Choose the session to compare with' })).toBeVisible();
    await expectAccessible(page, 'light');
  });
});
