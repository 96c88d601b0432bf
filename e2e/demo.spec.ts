import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { projectFolder } from '@/scripts/lib/project-folder';
import { Program } from './support/program';
import { readApi } from './support/read-api';
import { open, openEvent, openedEvent, row } from './support/screen';
import { expect, test } from './support/test';

const CONVERSATION = 'Round invoice totals per line';

test('The demo shows losses, search and alerts in one project, and is removed', async ({
  page,
  ownServer,
}) => {
  const { home, environment, url } = ownServer;
  const demo = (...args: string[]) =>
    new Program(
      process.execPath,
      [join(projectFolder, 'node_modules', '.bin', 'barograph'), 'demo', ...args],
      { home, environment },
    );
  const played = demo();
  await played.waitFor('The demo fleet is running');

  const sessions = await readApi(ownServer).sessions();
  expect(new Set(sessions.map(({ project }) => project))).toEqual(new Set(['demo']));
  await open(page, `${url}/?q=Round+invoice`);
  await row(page, CONVERSATION).getByRole('link', { name: CONVERSATION }).click();
  await expectMomentAndBack(page);
  await openEvent(page, /compact/i);
  await openedEvent(page).getByRole('link', { name: 'What was lost' }).click();
  const lost = page.getByRole('region', { name: 'What was lost' });
  await expect(lost).toContainText('Do not change credit notes');
  await expect(lost).toContainText('fx-rates.ts');
  // This copy ends with the compaction, and the summary was uploaded beside it.
  await expect(page.getByRole('region', { name: 'Summary after this archive' })).toBeInViewport();

  await open(page, `${url}/transcripts`);
  await page.getByRole('searchbox', { name: 'Search in transcripts' }).fill('frozen until January');
  const found = page.getByRole('table', { name: 'Transcripts' });
  await expect(found).toContainText(CONVERSATION);
  await open(page, `${url}/alerts`);
  await expect(page.getByRole('main')).toContainText('Demo: over limit');
  // This agent ends its break 80 seconds after the start of the demo.
  await expect(page.getByRole('main')).toContainText('Backfill events of last March', { timeout: 120_000 });
  expect((await played.stop()).signal).toBeNull();
  expect(played.stderr).toBe('');

  const removed = demo('--remove');
  expect(await removed.ended).toEqual({ code: 0, signal: null });
  expect(removed.stdout).toContain(`Removed the project demo with ${sessions.length} sessions.`);
  for (const path of ['/', '/alerts', '/transcripts', '/settings', '/history']) {
    await open(page, url + path);
    await expectNoDemo(page);
  }
  const again = demo('--remove');
  expect(await again.ended).toEqual({ code: 0, signal: null });
  expect(again.stdout).toContain('There is no demo on this server.');
});

/** From a turn on the barogram to its message, and from the message back to the turn. */
async function expectMomentAndBack(page: Page): Promise<void> {
  const slider = page.getByRole('slider', { name: 'Turn under the crosshair' });
  const plot = await page.locator('#sheet-drawing').boundingBox();
  if (plot === null) throw new Error('The sheet is not drawn.');
  const [x, y] = [plot.x + plot.width * 0.2, plot.y + plot.height * 0.4];
  await page.mouse.move(x, y);
  const preview = page.getByRole('note', { name: 'Message at the crosshair' });
  await expect(preview).toHaveText(/\w/);
  const line = (await preview.innerText()).split('/').at(-1) ?? '';
  const turn = /turn (\d+)/.exec((await slider.getAttribute('aria-valuetext')) ?? '')?.[1] ?? '';
  await page.mouse.click(x, y);
  await page.getByRole('link', { name: `Read turn ${turn}`, exact: true }).click();
  const message = page.locator('[data-target]');
  await expect(message).toContainText(line);
  await expect(message).toBeInViewport();
  await message.getByRole('link', { name: 'show on the barogram' }).click();
  await expect(page).toHaveURL(/\/sessions\/.*[?&]at=/);
  await expect(slider).toHaveAttribute('aria-valuetext', new RegExp(`turn ${turn},`));
}

async function expectNoDemo(page: Page): Promise<void> {
  const main = page.getByRole('main');
  await expect(main).toBeVisible();
  for (const text of [CONVERSATION, 'Backfill events of last March', 'Demo: over limit']) {
    await expect(main.getByText(text)).toHaveCount(0);
  }
}
