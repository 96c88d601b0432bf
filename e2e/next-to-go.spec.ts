/** Next to go: held countdowns, passed restart lines, and its empty states. */
import type { Page } from '@playwright/test';
import { expectAccessibleInBoth } from './support/expect-accessible';
import type { TestRunner } from './support/runner';
import { fleetPath, open, row } from './support/screen';
import { expect, test } from './support/test';

const MINUTE = 60_000;
const next = (page: Page) => page.getByRole('region', { name: 'Next to go' });

interface Growth {
  title: string;
  /** Tokens of the readings, half a minute apart. */
  readings: readonly number[];
  /** How long ago the last one came, milliseconds. */
  ago: number;
  client?: string;
}

function grow(runner: TestRunner, key: string, { title, readings, ago, client }: Growth): void {
  const begin = Date.now() - ago - readings.length * (MINUTE / 2);
  const session = runner.session(key, {
    title,
    lens: 'snapshot',
    limit: 200_000,
    at: begin,
    ...(client === undefined ? {} : { client, clientVersion: '2.1.90' }),
  });
  readings.forEach((contextTokens, index) => {
    const at = begin + (index + 1) * (MINUTE / 2);
    session.turn({ at, contextTokens, usage: { input: 10, output: 500, cacheRead: contextTokens - 510 } });
  });
}

const climb = (from: number, to: number, turns = 20) =>
  Array.from({ length: turns }, (_, index) => Math.round(from + ((to - from) * index) / (turns - 1)));

test('Next to go holds countdowns of silent sessions and shows what follows a restart line', async ({
  page,
  server,
  runner,
  project,
}) => {
  const name = (what: string) => `${what} ${project}`;
  grow(runner, `${project}/silent`, {
    title: name('silent'),
    readings: climb(120_000, 164_000),
    ago: 5 * MINUTE,
    client: 'claude-code',
  });
  grow(runner, `${project}/past`, { title: name('past'), readings: climb(150_000, 190_000), ago: 2_000 });
  grow(runner, `${project}/near`, { title: name('near'), readings: climb(130_000, 170_000), ago: 2_000 });
  await open(page, server.url + fleetPath(project));
  const cards = next(page).getByRole('listitem');
  await expect(cards).toHaveCount(3);

  // The silent one has the least left, and comes after those at work.
  await expect(cards.nth(2).getByRole('heading')).toHaveText(name('silent'));
  await expect(cards.nth(2)).toContainText(/no turn for \d+\sm/);
  await expect(row(page, name('silent'))).toContainText(/no turn for \d+\sm/);

  const past = cards.filter({ has: page.getByRole('heading', { name: name('past') }) });
  await expect(past).toContainText('Limit reached at 200');
  await expect(past).toContainText(/restart line passed \d+\sturns ago, no restart seen/);
  await expect(row(page, name('past'))).toContainText('past restart line');
  const near = cards.filter({ has: page.getByRole('heading', { name: name('near') }) });
  await expect(near).toContainText(
    /Restart due at 180\sk \(nothing restarts this session\) · limit 200\sk in \d+\smin/,
  );

  await near.getByRole('button', { name: /turns/ }).first().click();
  await expect(page.getByRole('dialog')).toContainText('The restart line is a project setting');
  await page.keyboard.press('Escape');
  await expectAccessibleInBoth(page, '[aria-labelledby="next-to-go"]');
});

test('Next to go has empty states: too early to say, no countdown, no active sessions', async ({
  page,
  server,
  runner,
  project,
}) => {
  const calm = `${project}/calm`;
  grow(runner, calm, { title: `calm ${project}`, readings: [20_000, 24_000], ago: 2_000 });
  await open(page, server.url + fleetPath(project));
  await expect(next(page)).toContainText('No countdown');
  await expect(next(page)).toContainText(/1\slive session: 1 too early to say/);
  await expect(next(page).getByRole('link', { name: `calm ${project}` })).toBeVisible();
  await expectAccessibleInBoth(page, '[aria-labelledby="next-to-go"]');

  grow(runner, `${project}/young`, { title: `young ${project}`, readings: [90_000, 168_000], ago: 2_000 });
  await expect(next(page)).toContainText('Too early');
  const least = next(page)
    .getByRole('listitem')
    .filter({ hasText: `young ${project}` });
  await expect(least).toContainText('84 %');
  await expect(least).toContainText(/12\.0\sk until the restart line/);
  await expectAccessibleInBoth(page, '[aria-labelledby="next-to-go"]');
  await page.setViewportSize({ width: 360, height: 740 });
  await expectAccessibleInBoth(page, '[aria-labelledby="next-to-go"]');
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await page.setViewportSize({ width: 1280, height: 720 });

  for (const key of [calm, `${project}/young`]) runner.session(key).end();
  await expect(next(page)).toContainText('No active sessions');
  await expect(next(page)).toContainText('Last turn');
  await expect(next(page).getByRole('button', { name: /copy/i })).toBeVisible();
  await expectAccessibleInBoth(page, '[aria-labelledby="next-to-go"]');
  await next(page).getByRole('link', { name: 'History of those hours' }).click();
  await expect(page).toHaveURL(/\/history\?from=.+&to=/);
  await expect(page.getByRole('region', { name: 'History of the range' })).toBeVisible();
});
