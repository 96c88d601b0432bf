/** History: charts, groups and sessions that thrash. */
import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { expectAccessibleInBoth } from './support/expect-accessible';
import { type ReadApi, readApi } from './support/read-api';
import { connectRunner, type TestRunner } from './support/runner';
import { open } from './support/screen';
import { expect, test } from './support/test';

const MINUTE = 60_000;

/** Reports a session that fills again soon after each compaction, and a calm session. */
function reportThrash(runner: TestRunner, endsAt: number): void {
  const start = { lens: 'snapshot', limit: 200_000, at: endsAt - 50 * MINUTE } as const;
  const title = 'Reads the same files again';
  const session = runner.session('thrashing', { ...start, title });
  let { at } = start;
  const turns = (from: number, to: number) => {
    for (let used = from; used <= to; used += 30_000) {
      at += MINUTE;
      const usage = { input: 1_000, output: 200, cacheRead: used, cacheCreation: 500 };
      session.turn({ at, model: 'claude-opus-4-1', usage, contextTokens: used });
    }
  };
  const compaction = () => session.compaction({ trigger: 'auto', state: 'confirmed', at });
  turns(20_000, 170_000);
  for (let round = 0; round < 2; round += 1) {
    compaction();
    turns(80_000, 170_000);
  }
  compaction();
  const calm = runner.session('calm', { ...start, title: 'Writes a changelog' });
  const usage = { input: 10, output: 5 };
  calm.turn({ at: start.at + 3 * MINUTE, model: 'gpt-5', usage, contextTokens: 40_000 });
}

/** Waits for the roll-up, which runs some seconds later. */
async function waitForHistory(api: ReadApi, project: string, turns: number): Promise<void> {
  await expect.poll(async () => (await api.history({ project })).total.turns).toBe(turns);
}

const TURNS = 6 + 4 + 4 + 1;

/** Shared by the stories that only read it. */
const PAST = 'thrash-and-calm';

test.beforeAll(async ({ server }) => {
  const past = connectRunner(server, { project: PAST });
  reportThrash(past, Date.now());
  await past.close(120_000);
  await waitForHistory(readApi(server), PAST, TURNS);
});

const panels = (page: Page) => page.getByRole('region', { name: 'History of the range' });
const groups = (page: Page) => page.getByRole('region', { name: /^By / });
const thrash = (page: Page) => page.getByRole('region', { name: 'Sessions with boundaries' });

test('History chooses the first range, and keeps the rest of the address', async ({ page, server }) => {
  await open(page, `${server.url}/history?project=${PAST}&by=model`);
  const { searchParams } = new URL(page.url());
  expect(searchParams.has('range') || searchParams.has('from'), page.url()).toBe(true);
  expect([searchParams.get('project'), searchParams.get('by')]).toEqual([PAST, 'model']);
});

test('History finds a thrashing session with its reason and place', async ({ page, server }) => {
  await open(page, `${server.url}/history?range=1h&project=${PAST}`);
  const row = thrash(page).getByRole('row').nth(1);
  await expect(row).toContainText('Reads the same files again');
  await expect(row).toContainText(/Full again 4 turns after its compaction, 2 times in a row/);
  await expect(thrash(page).getByRole('row')).toHaveCount(2);
  await row.getByRole('link').click();
  await expect(page).toHaveURL(/\/sessions\/.*event=.*thrash/);
  await expect(page.getByRole('region', { name: 'Barogram' })).toBeVisible();
  await page.goBack();
  await expect(panels(page)).toBeVisible();
});

test('History reads a bucket by keyboard, zooms in and resets', async ({ page, server }) => {
  await open(page, `${server.url}/history?range=24h&project=${PAST}`);
  const slider = panels(page).getByRole('slider');
  await slider.focus();
  await page.keyboard.press('Home');
  await expect(slider).toHaveAttribute('aria-valuetext', /: peak .+, turns \d/);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/from=.*&to=/);
  await expect(page.getByText('1-minute buckets')).toBeVisible();
  await page.getByRole('button', { name: 'Wider' }).click();
  await page.getByRole('button', { name: 'the last 7 days' }).click();
  await expect(page).toHaveURL(/range=7d/);
  await expect(page).not.toHaveURL(/from=/);
  await expect(page.getByText('30-minute buckets')).toBeVisible();

  // Six of the seven days are empty.
  await page.getByRole('button', { name: 'Zoom to the data' }).click();
  await expect(page).toHaveURL(/from=.*&to=/);
  await expect(page.getByText(/No data before/)).toBeHidden();
});

test('History opens a group by its name, and clears the filter', async ({ page, server }) => {
  await open(page, `${server.url}/history?range=1h&by=model&project=${PAST}`);
  await expect(groups(page).getByRole('row')).toHaveCount(3);
  // The group with the most turns is first, until another column is chosen.
  await expect(groups(page).getByRole('row').nth(1)).toContainText('claude-opus-4-1');
  await groups(page).getByRole('button', { name: 'peak' }).press('Enter');
  await expect(groups(page).getByRole('columnheader', { name: 'peak', exact: true })).toHaveAttribute(
    'aria-sort',
    'descending',
  );
  await groups(page).getByRole('button', { name: 'gpt-5' }).click();
  await expect(page).toHaveURL(/model=gpt-5/);
  const totals = page.locator('dl').filter({ hasText: 'highest peak' });
  await expect(totals.getByRole('definition').first()).toHaveText('1');
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await expect(page).not.toHaveURL(/model=/);
});

test('History exports the range as CSV and JSON', async ({ page, server }) => {
  await open(page, `${server.url}/history?range=1h&by=model&project=${PAST}`);
  for (const format of ['CSV', 'JSON'] as const) {
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: format, exact: true }).first().click();
    const file = await download;
    expect(file.suggestedFilename()).toMatch(new RegExp(`^barograph-history-.*\\.${format.toLowerCase()}$`));
    const text = readFileSync(await file.path(), 'utf8');
    if (format === 'JSON') {
      expect(JSON.parse(text)).toMatchObject({
        by: 'model',
        total: { turns: TURNS, compactions: 3, thrashes: 2 },
      });
    } else {
      const lines = text.trim().split('\r\n');
      expect(lines[0]).toMatch(/^from,to,model,turns,/);
      const turns = lines.slice(1).reduce((sum, line) => sum + Number(line.split(',')[3]), 0);
      expect(turns).toBe(TURNS);
    }
  }
});

test('History updates while the page is open', async ({ page, server, api, project, runner }) => {
  await page.clock.install({ time: Date.now() });
  reportThrash(runner, Date.now());
  await waitForHistory(api, project, TURNS);
  await open(page, `${server.url}/history?range=1h&project=${project}`);
  const totals = page.locator('dl').filter({ hasText: 'highest peak' });
  await expect(totals).toContainText(`${TURNS}`);
  runner.send({ type: 'turn', session: 'calm', at: Date.now(), usage: { input: 1, output: 1 } });
  await waitForHistory(api, project, TURNS + 1);
  await page.clock.fastForward(20_000);
  await expect(totals).toContainText(`${TURNS + 1}`);
});

test('History links an empty range to data, and survives failures', async ({ page, server, guard }) => {
  await open(
    page,
    `${server.url}/history?project=${PAST}&from=2020-01-01T00:00:00.000Z&to=2020-01-02T00:00:00.000Z`,
  );
  const empty = page.getByRole('status').filter({ hasText: 'No data in this range' });
  await expect(empty).toBeVisible();
  await expectAccessibleInBoth(page);
  await empty.getByRole('link', { name: 'Show recorded data' }).click();
  await expect(page).toHaveURL(/\/history\?from=/);
  await expect(empty).toHaveCount(0);
  await expect(page.getByText(/No data before/)).toHaveCount(0);
  await expect(groups(page)).toBeVisible();

  guard.allow(/500 \(Internal Server Error\)/);
  await page.route('**/api/v1/history?**', (route) => route.fulfill({ status: 500, body: 'away' }));
  await page.getByRole('button', { name: 'the last 24 hours' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'History could not be refreshed' })).toBeVisible();
  await expect(groups(page)).toBeVisible();
  await expect(thrash(page)).toBeVisible();
});

test('History has a table for screen readers, and no axe findings with closed or open range fields', async ({
  page,
  server,
}) => {
  await open(page, `${server.url}/history?range=1h&by=runner&project=${PAST}`);
  await expect(groups(page).getByRole('row').nth(1)).toBeVisible();
  await expect(thrash(page).getByRole('row').nth(1)).toBeVisible();
  const table = page.getByRole('table', { name: 'History of the range by bucket' });
  await expect.poll(() => table.getByRole('row').count()).toBeGreaterThan(10);
  await expect(table).toContainText(/85.%/);
  await expectAccessibleInBoth(page);
  await page.getByRole('button', { name: 'Custom range' }).click();
  await page.getByLabel('to', { exact: true }).fill('2020-01-01T00:00');
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'at least 5 minutes' })).toBeVisible();
  await expectAccessibleInBoth(page);
});
