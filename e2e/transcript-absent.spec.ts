/** Transcripts that are loading, failing or unreadable. */
import { expectAccessibleInBoth } from './support/expect-accessible';
import { handOver, untilRead } from './support/hand-over';
import { open } from './support/screen';
import { expect, test } from './support/test';

/** The page retries a failed read after this time. */
const RETRY_EVERY_MS = 15_000;

test.describe('Transcripts that cannot be shown', () => {
  test('the list and a transcript show loading and errors', async ({ page, server, guard, project }) => {
    const about = { project, session: `${project}/a`, fileName: 'a.txt' };
    const { id } = await handOver(server, Buffer.from('A note.\n'), about);
    guard.allow(/503 \(Service Unavailable\)/);
    const held: (() => void)[] = [];
    let isBroken = false;
    await page.route(/\/api\/v1\/transcripts(\/[^/]+(\/outline)?)?(\?|$)/, async (route) => {
      if (isBroken) return route.fulfill({ status: 503, body: '{}' });
      await new Promise<void>((resolve) => held.push(resolve));
      return route.continue();
    });
    for (const [path, spoken] of [
      ['/transcripts', 'The transcripts could not be'],
      [`/transcripts/${id}`, 'The transcript could not be'],
    ] as const) {
      isBroken = false;
      await open(page, server.url + path);
      await expect(page.locator('main [aria-busy="true"]').first()).toBeAttached();
      await expect.poll(() => held.length).toBeGreaterThan(0);
      await expectAccessibleInBoth(page, 'main');
      isBroken = true;
      await page.reload();
      await expect(page.getByRole('status').filter({ hasText: spoken })).toContainText(
        'the server answered 503',
      );
      await expectAccessibleInBoth(page, 'main');
      for (const go of held.splice(0)) go();
    }
  });

  test('a part that fails to load is reported and retried', async ({ page, server, guard, project }) => {
    const text = Array.from({ length: 4_000 }, (_, n) => `Arrival ${n} of the book.\n`);
    const about = { project, session: `${project}/long`, fileName: 'book.txt' };
    const { id } = await handOver(server, Buffer.from(text.join('')), about);
    await untilRead(server, id);
    guard.allow(/503 \(Service Unavailable\)/);
    await page.clock.install();
    await open(page, `${server.url}/transcripts/${id}`);
    await expect(page.getByText('Arrival 0 of the book.')).toBeVisible();
    let isBroken = true;
    const reason = 'the database is away';
    await page.route(/\/messages\?|\/search\?/, (route) =>
      isBroken ? route.fulfill({ status: 503, json: { error: { reason } } }) : route.continue(),
    );
    await page.getByRole('searchbox', { name: 'Find in transcript' }).fill('Arrival 3999');
    await expect(page.getByText(`Search failed: ${reason}`)).toBeVisible();
    // The list grows while rows are measured, so its end moves.
    const scrollToEnd = () => page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
    await scrollToEnd();
    const alert = page.getByRole('alert').filter({ hasText: reason });
    await expect(alert).toContainText('Retrying automatically.');
    await expect(alert).toBeInViewport();
    isBroken = false;
    await page.clock.fastForward(RETRY_EVERY_MS);
    await expect(async () => {
      await scrollToEnd();
      await expect(page.getByText('Arrival 3999 of the book.')).toBeVisible({ timeout: 1_000 });
    }).toPass();
    await expect(alert).toHaveCount(0);
    await expect(page.getByText('1 match', { exact: true })).toBeVisible();
  });

  test('a file that could not be parsed shows the reason and the download', async ({
    page,
    server,
    project,
  }) => {
    const about = { project, session: `${project}/plain`, fileName: 'run.txt' };
    const { id } = await handOver(server, Buffer.from('Entry 0\n'), about);
    const json = { state: 'failed', reason: 'it takes too long', entries: 0, columns: { kind: [] } };
    await page.route('**/outline?*', (route) => route.fulfill({ json }));
    await open(page, `${server.url}/transcripts/${id}`);
    await expect(page.getByText(/cannot be shown as a conversation: it takes too long\./)).toBeVisible();
    await expect(page.getByRole('link', { name: 'Download' })).toBeVisible();
    await expectAccessibleInBoth(page, 'main');
  });
});
