/**
 * Takes the pictures of the README (`npm run pictures`): the fleet, a session with a compaction, and what it lost. Waits for
 * each drawing.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BrowserContext, expect, type Locator, type Page } from '@playwright/test';
import { feedStillFleet, STILL_NOW, startStillServer } from '../e2e/support/still-world';
import { launchBrowser } from './browser/find-browser';
import { projectFolder } from './lib/project-folder';

const WIDTH = 1440;

interface Picture {
  name: string;
  path: string;
  height: number;
  theme?: 'dark';
  /** Is visible once the page is drawn. */
  drawn: (page: Page) => Locator;
  act?: (page: Page) => Promise<void>;
}

async function take(context: BrowserContext, url: string, picture: Picture): Promise<void> {
  const { name, path, height, theme = 'light', drawn, act } = picture;
  const page = await context.newPage();
  await page.setViewportSize({ width: WIDTH, height });
  await page.emulateMedia({ colorScheme: theme });
  await page.goto(url + path);
  await act?.(page);
  await expect(drawn(page).first()).toBeVisible({ timeout: 30_000 });
  await page.evaluate(() => document.fonts.ready);
  const png = await page.screenshot({ animations: 'disabled' });
  await page.close();
  writeFileSync(join(projectFolder, 'docs/images', `${name}.png`), png);
  process.stdout.write(`docs/images/${name}.png\n`);
}

async function main(): Promise<void> {
  mkdirSync(join(projectFolder, 'docs/images'), { recursive: true });
  const server = await startStillServer('pictures');
  const browser = await launchBrowser();
  try {
    const fleet = await feedStillFleet(server);
    const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'UTC' });
    await context.clock.setFixedTime(STILL_NOW);
    const row = (page: Page) => page.getByRole('table', { name: 'Sessions' }).getByRole('row').nth(5);
    const pictures: Picture[] = [
      { name: 'fleet-light', path: '/', height: 900, drawn: row },
      { name: 'fleet-dark', path: '/', height: 900, theme: 'dark', drawn: row },
      {
        name: 'session-light',
        path: `/sessions/${fleet.session}`,
        height: 1000,
        drawn: (page) =>
          page
            .getByRole('region', { name: 'Barogram' })
            .locator('path.recharts-line-curve[stroke="var(--ink)"]'),
      },
      {
        name: 'lost-light',
        path: `/transcripts/${fleet.transcript}`,
        height: 900,
        act: async (page) => {
          await page.getByRole('button', { name: 'Next compaction' }).click();
          await page.mouse.move(0, 0);
          await expect(page.getByRole('region', { name: 'What was lost' })).toContainText('refund');
        },
        drawn: (page) => page.getByText('I continue with the refunds.'),
      },
    ];
    for (const picture of pictures) await take(context, server.url, picture);
  } finally {
    await browser.close();
    await server.remove();
  }
}

await main();
