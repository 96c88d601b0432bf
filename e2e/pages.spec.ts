import type { Page } from '@playwright/test';
import { open } from './support/screen';
import { expect, test } from './support/test';

/** The page's background. */
function paper(page: Page): Promise<string> {
  return page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
}

test('The theme follows the system, and keeps a choice', async ({ page, fleet }) => {
  await page.emulateMedia({ colorScheme: 'light' });
  await open(page, fleet.url);
  expect(await paper(page)).toBe('rgb(250, 248, 243)');
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect.poll(() => paper(page)).toBe('rgb(15, 19, 23)');

  await page.getByRole('button', { name: 'Theme: system. Change to light' }).click();
  await expect.poll(() => paper(page)).toBe('rgb(250, 248, 243)');
  await page.reload();
  expect(await paper(page)).toBe('rgb(250, 248, 243)');
  await page.getByRole('button', { name: 'Theme: light. Change to dark' }).click();
  await expect.poll(() => paper(page)).toBe('rgb(15, 19, 23)');
  await page.emulateMedia({ colorScheme: 'light' });
  await page.reload();
  expect(await paper(page)).toBe('rgb(15, 19, 23)');
});

test('An unknown address is reported and links home', async ({ page, fleet, guard }) => {
  guard.allow(/404 \(Not Found\)/);
  const answer = await page.goto(`${fleet.url}/nowhere`);
  expect(answer?.status()).toBe(404);
  await expect(page.getByRole('main').getByRole('link').first()).toBeVisible();
  for (const id of ['00000000-0000-8000-8000-000000000000', 'nonsense']) {
    const missing = await page.goto(`${fleet.url}/sessions/${id}`);
    expect(missing?.status(), id).toBe(404);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Session not found');
    await expect(page.getByRole('main').getByRole('link').first()).toHaveAttribute('href', '/');
    const transcript = await page.goto(`${fleet.url}/transcripts/${id}`);
    expect(transcript?.status(), id).toBe(404);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Transcript not found');
  }
});
