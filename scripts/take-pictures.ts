/**
 * Takes the pictures of the README and of docs/connect (`npm run pictures`): the fleet, a session with a compaction, what
 * the compaction dropped, and a session of each agent. Waits for each drawing, and fails if any part of a picture is empty.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BrowserContext, expect, type Locator, type Page } from '@playwright/test';
import { feedAgents } from '../e2e/support/still-agents';
import { feedStillFleet, STILL_NOW, startStillServer } from '../e2e/support/still-world';
import { launchBrowser } from './browser/find-browser';
import { projectFolder } from './lib/project-folder';

const WIDTH = 1440;
/** Height of the stripes that must each show something, in pixels. */
const STRIPE = 150;
/** Lowest share of a stripe's pixels that differ from its background. */
const MIN_DRAWN = 0.004;

interface Picture {
  name: string;
  path: string;
  height: number;
  theme?: 'dark';
  /** Default `png`. */
  format?: 'webp';
  /** An element that is visible once the page is drawn. */
  drawn: (page: Page) => Locator;
  act?: (page: Page) => Promise<void>;
}

async function take(context: BrowserContext, url: string, picture: Picture): Promise<void> {
  const { name, path, height, theme = 'light', format = 'png', drawn, act } = picture;
  const page = await context.newPage();
  await page.setViewportSize({ width: WIDTH, height });
  await page.emulateMedia({ colorScheme: theme });
  await page.goto(url + path);
  await act?.(page);
  await expect(drawn(page).first()).toBeVisible({ timeout: 30_000 });
  await page.evaluate(() => document.fonts.ready);
  const png = await page.screenshot({ animations: 'disabled' });
  await page.close();
  const { empty, webp } = await readPicture(context, png);
  if (empty.length > 0) throw new Error(`${name}: nothing is drawn at ${empty.join(', ')} px from the top.`);
  writeFileSync(
    join(projectFolder, 'docs/images', `${name}.${format}`),
    format === 'webp' ? Buffer.from(webp, 'base64') : png,
  );
  process.stdout.write(`docs/images/${name}.${format}\n`);
}

/** Tops of the stripes that have nearly only one colour, and a small copy in base64. The browser decodes the picture. */
async function readPicture(context: BrowserContext, png: Buffer): Promise<{ empty: number[]; webp: string }> {
  const page = await context.newPage();
  const read = await page.evaluate(
    async ({ source, stripe, minDrawn }) => {
      const image = new Image();
      image.src = source;
      await image.decode();
      const surface = new OffscreenCanvas(image.width, image.height);
      const canvas = surface.getContext('2d');
      if (canvas === null) throw new Error('no canvas');
      canvas.drawImage(image, 0, 0);
      const empty: number[] = [];
      for (let top = 0; top + stripe <= image.height; top += stripe) {
        const pixels = new Uint32Array(canvas.getImageData(0, top, image.width, stripe).data.buffer);
        const counts = new Map<number, number>();
        for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
        if (1 - Math.max(...counts.values()) / pixels.length < minDrawn) empty.push(top);
      }
      const small = await surface.convertToBlob({ type: 'image/webp', quality: 0.5 });
      const bytes = new Uint8Array(await small.arrayBuffer());
      return { empty, webp: btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')) };
    },
    { source: `data:image/png;base64,${png.toString('base64')}`, stripe: STRIPE, minDrawn: MIN_DRAWN },
  );
  await page.close();
  return read;
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
    const trace = (page: Page) =>
      page.getByRole('region', { name: 'Barogram' }).locator('path.recharts-line-curve:visible');
    const agents = await feedAgents(server);
    const pictures: Picture[] = [
      { name: 'fleet-light', path: '/', height: 900, drawn: row },
      { name: 'fleet-dark', path: '/', height: 900, theme: 'dark', drawn: row },
      {
        name: 'session-light',
        path: `/sessions/${fleet.session}`,
        height: 1000,
        act: async (page) => {
          await expect(page.getByText('archive', { exact: true })).toBeVisible();
          await expect(page.getByText('Loading', { exact: true })).toBeHidden();
        },
        drawn: trace,
      },
      {
        name: 'lost-light',
        path: `/transcripts/${fleet.transcript}`,
        height: 900,
        act: async (page) => {
          await page.mouse.move(0, 0);
          await expect(page.getByRole('region', { name: 'What was lost' })).toContainText('fx-rates.ts');
        },
        drawn: (page) => page.getByText('I continue with the PDF snapshots'),
      },
      ...Object.entries(agents).map(([agent, id]) => ({
        name: `connect-${agent}`,
        path: `/sessions/${id}`,
        height: 720,
        format: 'webp' as const,
        drawn: trace,
      })),
    ];
    for (const picture of pictures) await take(context, server.url, picture);
  } finally {
    await browser.close();
    await server.remove();
  }
}

await main();
