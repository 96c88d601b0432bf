/** The panel “Next boundaries”: held countdowns, passed restart lines and empty states. */
import type { Page } from '@playwright/test';
import { expectAccessibleInBoth } from './support/expect-accessible';
import { overflow, plain, row } from './support/screen';
import { expect, type Reported, test } from './support/test';

const MINUTE = 60_000;
const next = (page: Page) => page.getByRole('region', { name: 'Next boundaries' });
const NEXT = '[aria-labelledby="next-to-go"]';

/** Start of a session with this many turns at half-minute intervals. @param agoMs age of the last turn */
const beginOf = (turns: number, agoMs: number) => Date.now() - agoMs - turns * (MINUTE / 2);

function climb(session: Reported, at: number, from: number, to: number, turns = 20): void {
  for (let turn = 0; turn < turns; turn += 1) {
    const contextTokens = Math.round(from + ((to - from) * turn) / (turns - 1));
    const usage = { input: 10, output: 500, cacheRead: contextTokens - 510 };
    session.turn({ at: at + (turn + 1) * (MINUTE / 2), contextTokens, usage });
  }
}

test('Next boundaries holds countdowns of silent sessions and shows what follows a restart line', async ({
  page,
  report,
  openFleet,
}) => {
  const [long, short] = [beginOf(20, 5 * MINUTE), beginOf(20, 2_000)];
  const client = { client: 'claude-code', clientVersion: '2.1.90' };
  climb(report('silent', { at: long, ...client }), long, 120_000, 164_000);
  climb(report('past', { at: short }), short, 150_000, 190_000);
  climb(report('near', { at: short }), short, 130_000, 170_000);
  await openFleet();
  const cards = next(page).getByRole('listitem');
  await expect(cards).toHaveCount(3);

  // The silent session is nearest to its boundary, but active sessions come first.
  await expect(cards.nth(2).getByRole('heading')).toHaveText('silent');
  await expect(cards.nth(2)).toContainText(/no turn for \d+\smin/);
  await expect(row(page, 'silent')).toContainText(/no turn for \d+\smin/);

  const past = cards.filter({ has: page.getByRole('heading', { name: 'past' }) });
  await expect(past).toContainText('Reaches limit at 200');
  await expect(past).toContainText(/restart line passed \d+\sturns ago, no restart seen/);
  await expect(row(page, 'past')).toContainText('past restart line');
  const near = cards.filter({ has: page.getByRole('heading', { name: 'near' }) });
  // All cards have the same axis, also if every session is above 50 %.
  const axis = (await cards.locator('figure').allTextContents()).map((text) => text.slice(0, 8));
  expect(axis.map(plain)).toEqual(Array(3).fill('050100 %'));

  // Nothing restarts these sessions, so the project's restart line at 180 k is no boundary.
  await expect(near).toContainText(/Reaches limit at 200\sk/);
  await expect(row(page, 'near')).not.toContainText('estart');
  await expectAccessibleInBoth(page, NEXT);
});

test('Next boundaries has empty states: no forecast yet, no countdown, no active sessions', async ({
  page,
  report,
  openFleet,
}) => {
  const begin = beginOf(2, 2_000);
  const calm = report('calm', { at: begin });
  climb(calm, begin, 20_000, 24_000, 2);
  await openFleet();
  await expect(next(page)).toContainText('No countdown');
  await expect(next(page)).toContainText(/1\slive session: 1 without a forecast yet/);

  const young = report('young', { at: begin });
  climb(young, begin, 90_000, 168_000, 2);
  await expect(next(page)).toContainText(/1\ssession near a boundary/);
  await page.setViewportSize({ width: 360, height: 740 });
  await expectAccessibleInBoth(page, NEXT);
  await expect.poll(() => overflow(page)).toBeLessThanOrEqual(0);

  for (const session of [calm, young]) session.end();
  await expect(next(page)).toContainText('No active sessions');
  await expect(next(page)).toContainText(/Last turn \d+\s(s|min) ago in (calm|young)/);
  await expect(next(page).getByRole('button', { name: /copy/i })).toBeVisible();
  await expectAccessibleInBoth(page, NEXT);
});
