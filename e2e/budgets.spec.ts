/** What a page may cost: counted, not timed, so that a busy machine changes nothing. */
import { gzipSync } from 'node:zlib';
import type { Page, Response } from '@playwright/test';
import { fleetPath, open, pressure, row } from './support/screen';
import { expect, test } from './support/test';

const KILOBYTE = 1_000;

/** Notes every script of our own that the page loads, gzipped as a proxy before the server would send it. */
function countScripts(page: Page): () => Promise<number> {
  const sizes = new Map<string, Promise<number>>();
  const note = (response: Response) => {
    if (response.request().resourceType() !== 'script') return;
    sizes.set(
      response.url(),
      response.body().then((body) => gzipSync(body).length),
    );
  };
  page.on('response', note);
  return async () => {
    // What comes after the count may have no body any more: the page is closed.
    page.off('response', note);
    return (await Promise.all(sizes.values())).reduce((sum, size) => sum + size, 0);
  };
}

test.describe('Budgets', () => {
  test('keep the fleet page under 216 kB of JavaScript', async ({ page, server, runner, project }) => {
    runner
      .session(`${project}/one`, { title: `One ${project}`, lens: 'snapshot', limit: 200_000 })
      .turn({ contextTokens: 60_000, usage: { input: 10, output: 500, cacheRead: 59_990 } });
    await runner.flush();
    const loaded = countScripts(page);
    await open(page, server.url + fleetPath(project));
    await expect(row(page, `One ${project}`)).toBeVisible();
    const bytes = await loaded();
    expect(bytes).toBeGreaterThan(50 * KILOBYTE);
    expect(bytes).toBeLessThan(216 * KILOBYTE);
  });

  test('keep the session page under 310 kB of JavaScript', async ({ page, server, runner, project, api }) => {
    runner
      .session(`${project}/one`, { title: `One ${project}`, lens: 'snapshot', limit: 200_000 })
      .turn({ contextTokens: 60_000, usage: { input: 10, output: 500, cacheRead: 59_990 } });
    await runner.flush();
    const { id } = await api.session(`${project}/one`);
    const loaded = countScripts(page);
    await open(page, `${server.url}/sessions/${id}`);
    await expect(pressure(page)).toContainText('30%');
    const bytes = await loaded();
    expect(bytes).toBeGreaterThan(50 * KILOBYTE);
    expect(bytes).toBeLessThan(310 * KILOBYTE);
  });

  test('keep history and a comparison under 280 kB of JavaScript', async ({
    page,
    server,
    runner,
    project,
    api,
  }) => {
    runner
      .session(`${project}/one`, { title: `One ${project}`, lens: 'snapshot', limit: 200_000 })
      .turn({ contextTokens: 60_000, usage: { input: 10, output: 500, cacheRead: 59_990 } });
    await runner.flush();
    const { id } = await api.session(`${project}/one`);
    const places = [
      { path: '/history', drawn: '.recharts-surface' },
      { path: `/compare?a=${id}&b=${id}`, drawn: 'path[data-trace="b"]' },
    ];
    for (const { path, drawn } of places) {
      const place = await page.context().newPage();
      const loaded = countScripts(place);
      await open(place, server.url + path);
      await expect(place.locator(drawn).first()).toBeAttached();
      const bytes = await loaded();
      expect(bytes, path).toBeGreaterThan(50 * KILOBYTE);
      expect(bytes, path).toBeLessThan(280 * KILOBYTE);
      await place.close();
    }
  });

  test('draw one screenful of rows for a fleet of any size', async ({ page, server, runner, project }) => {
    const many = 700;
    for (let index = 0; index < many; index += 1) {
      const contextTokens = 20_000 + ((index * 7_919) % 178_000);
      runner
        .session(`${project}/${index}`, { title: `Many ${index}`, lens: 'snapshot', limit: 200_000 })
        .turn({ contextTokens, usage: { input: 10, output: 500, cacheRead: contextTokens - 10 } });
    }
    await runner.flush();
    await page.setViewportSize({ width: 1440, height: 900 });
    await open(page, server.url + fleetPath(project));
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
