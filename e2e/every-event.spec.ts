/** Every kind of event on the session page. */
import type { Locator } from '@playwright/test';
import { expectAccessibleInBoth } from './support/expect-accessible';
import { badge, eventList, openEvent, plain, sheet } from './support/screen';
import { expect, test } from './support/test';

const words = async (place: Locator) => plain(await place.innerText());

test('Each kind of event has its sign, title and sentence, without axe findings', async ({
  page,
  runner,
  project,
  show,
}) => {
  const key = `${project}/all`;
  const session = runner.session(key, { title: `All ${project}`, lens: 'cumulative', limit: 10_000 });
  const turn = (input: number) => session.turn({ usage: { input, output: 0 } });
  for (const input of [5_000, 2_600, 1_500, 1_200]) turn(input);
  session.restart({ reason: 'full', checkpoint: 'Goal: go on.\n'.repeat(40), prompt: 'Go on.' });
  session.turn({ usage: null });
  session.compaction({ trigger: 'auto', state: 'blocked', preTokens: 900 });
  session.archive({ state: 'failed', trigger: 'auto', reason: 'no space left on device' });
  session.clear({ tokensCleared: 1_000 });
  turn(1_000);
  session.gap({ from: 120, to: 131, count: 12, reason: 'queue full' });
  turn(500);
  session.compaction({ trigger: 'auto', state: 'failed' });
  session.archive({ state: 'skipped', trigger: 'auto', reason: 'the transcript is not there' });
  session.compress({ before: 1_500, after: 900, removed: 14 });
  session.turn({
    usage: { input: 10, output: 0 },
    composition: {
      roles: [{ role: 'user', messages: 3, tokens: 900 }],
      suggestions: [{ kind: 'remove_old_user_messages', messages: 1, tokensSaved: 300, impact: 'high' }],
      compression: { targetPercent: 50, messagesRemoved: 1, tokensRemoved: 300, tokensLeft: 600 },
    },
  });
  session.end({ reason: 'done' });
  await show(key);
  await expect(badge(page)).toHaveText('live');
  await expect(sheet(page).locator('svg').first()).toBeVisible();

  const expected: [row: string | RegExp, title: string, ...sentence: string[]][] = [
    ['session started', 'Session started', 'startup'],
    ['warning → critical', 'Warning → critical', 'pressure'],
    ['restart line', 'Restart line', '91 %'],
    [/over limit.*10.300 of/, 'Over limit', '10 300 tokens', '10 000 tokens'],
    ['continuation 1', 'Restart 1', 'full', '10 300 tokens'],
    ['tracking lost', 'Tracking lost', 'turn 5 has no usage'],
    ['blocked by a hook', 'Compaction', 'A hook refused it', 'no space left on device'],
    ['archive failed', 'Archive failed', 'no space left on device', 'could not be copied'],
    ['1 000 cleared', 'Clear', '1 000 tokens'],
    ['tracking resumed', 'Tracking resumed', 'turn 6 has usage again'],
    ['12 never arrived', 'Turns lost', '12 turns', '120–131', 'queue full'],
    ['failed; the context continues', 'Compaction', 'The client gave up or never started.', 'skipped'],
    ['archive skipped', 'Archive skipped', 'the transcript is not there', 'Nothing was copied'],
    ['compressed', 'Compressed', '14 messages', '600 tokens'],
    ['session ended', 'Session ended', 'done'],
  ];
  for (const [row, title, ...sentence] of expected) {
    const pattern = typeof row === 'string' ? new RegExp(row.replaceAll(' ', '[\\s\\u202f]')) : row;
    const event = await openEvent(page, pattern);
    await expect(event.getByRole('heading', { level: 2 })).toHaveText(title);
    for (const part of sentence) await expect.poll(() => words(event), title).toContain(part);
  }
  const signs = await eventList(page).getByRole('button').locator('svg').count();
  expect(signs).toBe(await eventList(page).getByRole('button').count());

  for (const event of ['continuation 1', 'archive failed', 'state']) {
    await openEvent(page, event);
    await expectAccessibleInBoth(page, 'main');
  }
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
});
