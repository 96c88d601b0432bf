import type { Page } from '@playwright/test';
import { trace } from './support/drawing';
import { eventList, pressure } from './support/screen';
import { expect, test } from './support/test';

const contexts = (page: Page) => page.getByRole('region', { name: /^Contexts/ });
const notices = (page: Page) => page.getByRole('status').filter({ hasText: 'The last data stays' });

test.describe('A panel of a session', () => {
  test('that cannot be read reports it in place, keeps its data and can be retried', async ({
    page,
    report,
    guard,
    show,
  }) => {
    guard.allow(/500 \(Internal Server Error\)/);
    const session = report('broken', { lens: 'cumulative' });
    session.read(40_000);
    await show('broken');
    await expect(contexts(page).getByRole('row')).toHaveCount(2);

    await page.route('**/contexts?*', (route) => route.fulfill({ status: 500, body: '{}' }));
    session.restart({ reason: 'context threshold reached' });
    session.read(90_000);
    await expect(contexts(page)).toContainText('The contexts could not be read.');
    // The others go on: figures, trace, events.
    await expect(pressure(page)).toContainText('45%');
    await expect(trace(page)).toHaveCount(1);
    await expect(eventList(page)).toContainText('continuation 1');
    await expect(notices(page)).toHaveCount(1);
    await expect(contexts(page).getByRole('row').nth(1)).toBeVisible();

    // While it is away it is asked again in vain; once it is back the page may have seen it before anybody presses.
    const asked = page.waitForRequest('**/contexts?*');
    await contexts(page).getByRole('button', { name: 'Retry' }).click();
    await asked;
    await page.unroute('**/contexts?*');
    await expect(notices(page)).toHaveCount(0);
    await expect(contexts(page).getByRole('row')).toHaveCount(3);
  });

  test('that is slow reports it in place, and shows its data once loaded', async ({ page, report, show }) => {
    report('slow').read(40_000, 70_000);
    await show('slow');
    await expect(trace(page)).toHaveCount(1);

    let isHeld = true;
    await page.route('**/series?*', async (route) => {
      // Held until a retry; the page gives up the read.
      if (!isHeld) await route.continue();
    });
    await page.getByRole('button', { name: 'Cache-inflated' }).click();
    await expect(notices(page)).toHaveText(/^The turns of the other lens are slow to load\./);
    await expect(trace(page)).toHaveCount(1);
    isHeld = false;
    await notices(page).getByRole('button', { name: 'Retry' }).click();
    await expect(notices(page)).toHaveCount(0);
    await expect(page.getByRole('status').filter({ hasText: 'How this is calculated' })).toBeVisible();
  });
});
