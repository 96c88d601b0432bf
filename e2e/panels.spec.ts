import type { Page } from '@playwright/test';
import { trace } from './support/drawing';
import { eventList, pressure } from './support/screen';
import { expect, test } from './support/test';

const contexts = (page: Page) => page.getByRole('region', { name: /^Contexts/ });
const notices = (page: Page) => page.getByRole('status').filter({ hasText: 'Showing the last data' });

test.describe('A panel of a session', () => {
  test('reports a failed read in place, keeps its data and retries', async ({
    page,
    report,
    guard,
    show,
  }) => {
    guard.allow(/500 \(Internal Server Error\)/);
    const session = report('broken', { lens: 'cumulative' });
    session.read(40_000);
    await show('broken');
    await contexts(page).getByRole('heading').click();
    await expect(contexts(page).getByRole('row')).toHaveCount(2);

    await page.route('**/contexts?*', (route) => route.fulfill({ status: 500, body: '{}' }));
    session.restart({ reason: 'context threshold reached' });
    session.read(90_000);
    await expect(contexts(page)).toContainText('The contexts could not be read.');
    // Figures, trace and events still update.
    await expect(pressure(page)).toContainText('45%');
    await expect(trace(page)).toHaveCount(1);
    await expect(eventList(page)).toContainText('continuation 1');
    await expect(notices(page)).toHaveCount(1);
    await expect(contexts(page).getByRole('row').nth(1)).toBeVisible();

    // The page also retries automatically, so the test presses the button while the read still fails.
    const asked = page.waitForRequest('**/contexts?*');
    await contexts(page).getByRole('button', { name: 'Retry' }).click();
    await asked;
    await page.unroute('**/contexts?*');
    await expect(notices(page)).toHaveCount(0);
    await expect(contexts(page).getByRole('row')).toHaveCount(3);
  });
});
