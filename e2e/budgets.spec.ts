/** Limits of what a page loads and draws, which do not depend on the machine. */
import { claudeLines } from '@/core/scenario/claude-lines';
import { handOver, untilRead } from './support/hand-over';
import { expect, test } from './support/test';

const TALK = claudeLines().assistant('m1', { type: 'text', text: '```ts\nexport const balance = 0;\n```' });

test.describe('Pages', () => {
  test('load the same style sheets everywhere, so that no link preloads one in vain', async ({
    page,
    server,
    project,
    report,
    show,
  }) => {
    report('styled').read(40_000);
    const id = await show('styled');
    const transcript = await handOver(server, Buffer.from(`${TALK}\n`), { project, session: 'styled' });
    await untilRead(server, transcript.id);
    const sheets: string[][] = [];
    for (const path of ['/', '/?view=wall', `/sessions/${id}`, '/history', `/transcripts/${transcript.id}`]) {
      await page.goto(server.url + path);
      const links = page.locator('link[rel=stylesheet]');
      sheets.push(
        (await links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))).sort(),
      );
    }
    expect(sheets[0]).not.toEqual([]);
    for (const others of sheets) expect(others).toEqual(sheets[0]);
  });

  test('limit a fleet of any size to a screenful of rows', async ({ page, report, openFleet }) => {
    const many = 700;
    for (let index = 0; index < many; index += 1) {
      report(`many ${index}`).read(20_000 + ((index * 7_919) % 178_000));
    }
    await page.setViewportSize({ width: 1440, height: 900 });
    await openFleet();
    const table = page.getByRole('table', { name: 'Sessions' });
    await expect(table).toHaveAttribute('aria-rowcount', String(many + 1));
    expect(await table.locator('[data-row]').count()).toBeLessThan(60);
    expect(await page.locator('[aria-labelledby="barcode"] svg *').count()).toBeLessThan(500);
    expect(await page.locator('[aria-labelledby="barcode"] path[data-state]').count()).toBeLessThan(20);

    await table.getByRole('link').first().focus();
    await page.keyboard.press('End');
    await expect(table.locator(`[data-row="${many - 1}"]`)).toBeVisible();
    expect(await table.locator('[data-row]').count()).toBeLessThan(60);
  });
});
