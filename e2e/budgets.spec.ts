/** Budgets of a page in bytes and elements, which do not depend on the machine. */
import { gzipSync } from 'node:zlib';
import type { Page, Response } from '@playwright/test';
import { claudeLines } from '@/core/scenario/claude-lines';
import { handOver, untilRead } from './support/hand-over';
import { expect, test } from './support/test';

/** Counts the gzipped scripts of a page, bytes. */
function countScripts(page: Page): () => Promise<number> {
  const sizes = new Map<string, Promise<number>>();
  const note = (response: Response) => {
    if (response.request().resourceType() !== 'script') return;
    const size = response.body().then((body) => gzipSync(body).length);
    sizes.set(response.url(), size);
  };
  page.on('response', note);
  return async () => {
    // The page may close before the body of a later response is read.
    page.off('response', note);
    return (await Promise.all(sizes.values())).reduce((sum, size) => sum + size, 0);
  };
}

const TALK = claudeLines().assistant('m1', { type: 'text', text: '```ts\nexport const balance = 0;\n```' });

test.describe('Page budgets', () => {
  for (const [name, path, drawn, kilobytes] of [
    ['the fleet page', '/?project=:project', '[data-row]', 219],
    ['the session page', '/sessions/:id', 'path.recharts-line-curve', 317],
    ['history', '/history', '.recharts-surface', 280],
    ['a comparison', '/compare?a=:id&b=:id', 'path[data-trace="b"]', 280],
    ['a transcript', '/transcripts/:transcript', '[data-code="keyword"]', 300],
  ] as const) {
    test(`keep ${name} under ${kilobytes} kB of scripts`, async ({
      page,
      server,
      runner,
      report,
      project,
      visit,
      api,
    }) => {
      const session = report('one');
      session.read(40_000, 60_000);
      await runner.flush();
      const { id } = await api.session(session.key);
      const transcript = await handOver(server, Buffer.from(`${TALK}\n`), { project, session: session.key });
      await untilRead(server, transcript.id);
      const loaded = countScripts(page);
      await visit(path.replaceAll(':id', id).replace(':transcript', transcript.id));
      await expect(page.locator(drawn).first()).toBeAttached();
      const bytes = await loaded();
      expect(bytes).toBeGreaterThan(50_000);
      expect(bytes).toBeLessThan(kilobytes * 1_000);
    });
  }

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
