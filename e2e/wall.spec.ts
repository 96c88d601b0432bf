/** The fleet on a large screen: readable cards, and the count of the other sessions. */
import type { Page } from '@playwright/test';
import { expectAccessibleInBoth } from './support/expect-accessible';
import { fleetPath, plain, row } from './support/screen';
import { expect, test } from './support/test';

const wall = (page: Page) => page.getByRole('region', { name: 'Wall' });
const cards = (page: Page) =>
  wall(page)
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading') });

/** The wall covers the top bar, so it has its own badge. */
const isLive = (page: Page) => expect(wall(page).getByRole('status')).toHaveText('live');

/** Sizes of the cards, pixels. */
function measure(page: Page) {
  return page.evaluate(() => {
    const all = [...document.querySelectorAll<HTMLElement>('.wall-card')];
    const sizes = [...document.querySelectorAll('.wall-figure')].map((figure) =>
      Number.parseFloat(getComputedStyle(figure).fontSize),
    );
    const { scrollWidth, scrollHeight, clientWidth, clientHeight } = document.documentElement;
    return {
      scrolls: scrollWidth > clientWidth || scrollHeight > clientHeight || innerWidth > clientWidth,
      cut: all
        .filter((card) => card.scrollHeight > card.clientHeight || card.scrollWidth > card.clientWidth)
        .map((card) => `${card.innerText}: ${card.scrollHeight} in ${card.clientHeight}`),
      outside: all.filter((card) => card.getBoundingClientRect().bottom > innerHeight).length,
      smallestFigure: Math.min(...sizes),
    };
  });
}

test('The wall shows three, forty and a thousand sessions, and counts the rest', async ({
  page,
  server,
  runner,
  report,
  project,
}) => {
  let made = 0;
  const grow = async (to: number) => {
    for (; made < to; made += 1) report(`${made}`).read(20_000 + ((made * 7_919) % 170_000));
    await runner.flush();
  };
  const legible = async () => {
    expect(await measure(page)).toMatchObject({ scrolls: false, cut: [], outside: 0 });
  };
  await grow(3);
  await page.setViewportSize({ width: 1920, height: 1080 });
  await page.goto(`${server.url}${fleetPath(project)}&view=wall`);
  await isLive(page);
  await expect(cards(page)).toHaveCount(3);
  await expect(page.getByRole('banner')).toBeHidden();
  await legible();

  await grow(40);
  await expect(wall(page).getByText('29more')).toBeVisible();
  await expect(wall(page).locator('.wall-rest')).toContainText('without');
  await expect(cards(page)).toHaveCount(11);
  await expect(wall(page).locator('.wall-counts')).toContainText('40 live');
  await legible();

  await grow(1_000);
  const rest = wall(page).locator('.wall-rest .wall-figure');
  await expect.poll(async () => plain(await rest.innerText())).toBe('989');
  await expect(cards(page)).toHaveCount(11);
  await legible();

  // A 4 K screen, a laptop at 200 %, and a phone.
  for (const [width, height, smallest] of [
    [3840, 2160, 96],
    [720, 450, 48],
    [360, 740, 48],
  ] as const) {
    await page.setViewportSize({ width, height });
    await expect.poll(async () => (await measure(page)).smallestFigure).toBeGreaterThanOrEqual(smallest);
    await legible();
  }
});

test('The wall opens by link, key and button, with its cards in order of the next boundary', async ({
  page,
  report,
  openFleet,
}) => {
  const begin = Date.now() - 400_000;
  for (const [name, step] of Object.entries({ slow: 1_000, fast: 6_000, faster: 9_000 })) {
    const session = report(name, { at: begin });
    for (let turn = 0; turn < 12; turn += 1) {
      const at = begin + turn * 30_000;
      session.turn({ at, contextTokens: 60_000 + turn * step, usage: { inputTokens: 10, outputTokens: 10 } });
    }
  }
  report('over', { lens: 'cumulative', limit: 1_000 }).read(1_200);
  // The wall ignores the order of the list.
  await openFleet('&sort=-pressure');
  await expect(row(page, 'slow')).toBeVisible();
  await page.getByRole('button', { name: 'Wall', exact: true }).click();
  await expect(page).toHaveURL(/sort=-pressure.*view=wall/);
  await expect(cards(page).getByRole('link')).toHaveText(['over', 'faster', 'fast', 'slow']);
  await expect(cards(page).first()).toContainText('over limit');
  await expect(cards(page).first()).toContainText(/\+0\.2kpassed, \d+.(s|min) agooutcomeunknown/);
  await expect(cards(page).nth(1)).toContainText('min');
  // A phone has room for fewer cards; the last cell counts the others and shows when the next one is due.
  await page.setViewportSize({ width: 360, height: 740 });
  await expect(wall(page).locator('.wall-rest')).toContainText(/\dmorenext in\d+.min/);
  await page.setViewportSize({ width: 1280, height: 720 });
  const cone = cards(page).nth(1).locator('path[fill="var(--mark)"]');
  await expect(cone, 'the forecast is drawn beside the trace').toHaveCount(1);

  await page.keyboard.press('w');
  await expect(row(page, 'slow')).toBeVisible();
  await expect(page).not.toHaveURL(/view=/);
  await page.keyboard.press('Meta+k');
  await expect(page.getByRole('dialog', { name: 'Commands' }).getByRole('combobox')).toBeFocused();
  await page.keyboard.type('as a wall');
  await expect(page.getByRole('option', { name: /as a wall/, selected: true })).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(cards(page)).toHaveCount(4);
  await page.reload();
  await isLive(page);
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await expect(page.getByRole('link', { name: 'faster' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'faster' })).toBeVisible();
  await expect(page.getByRole('banner')).toBeVisible();
  await page.goBack();
  await wall(page).getByRole('button', { name: 'list' }).click();
  await expect(row(page, 'slow')).toBeVisible();
});

test('The wall keeps its order during keyboard use', async ({ page, server, runner, report, project }) => {
  const sum = { lens: 'cumulative', limit: 1_000 } as const;
  const [first, second] = [report('first', sum), report('second', sum)];
  first.read(300);
  second.read(200);
  await runner.flush();
  await page.clock.install();
  await page.goto(`${server.url}${fleetPath(project)}&view=wall`);
  await isLive(page);
  await expect(cards(page).first()).toContainText('first');
  await page.keyboard.press('j');
  await expect(cards(page).first().getByRole('link')).toBeFocused();
  second.read(700);
  await expect(cards(page).filter({ hasText: 'second' })).toContainText('90 %');
  await expect(cards(page).first(), 'the focused card keeps its place').toContainText('first');
  await page.clock.fastForward(11_000);
  await expect(cards(page).first()).toContainText('second');
  await expect(cards(page).nth(1).getByRole('link'), 'the focus follows its card').toBeFocused();
});

test('Thrashing is marked on the wall and on cards, without axe findings', async ({
  page,
  report,
  openFleet,
}) => {
  let at = Date.now() - 30 * 60_000;
  const session = report('thrashes', { at });
  const grow = (turns: number, from: number) => {
    for (let turn = 0; turn < turns; turn += 1) {
      at += 60_000;
      session.turn({ at, contextTokens: from + turn * 5_000, usage: { inputTokens: 10, outputTokens: 10 } });
    }
  };
  grow(16, 80_000);
  session.compaction({ at: at + 20_000, trigger: 'auto', state: 'confirmed' });
  grow(3, 140_000);
  session.compaction({ at: at + 20_000, trigger: 'auto', state: 'confirmed' });
  grow(6, 110_000);
  report('over', { lens: 'cumulative', limit: 1_000 }).read(1_200);
  report('unread', { lens: 'cumulative' }).turn({ usage: null });

  await openFleet();
  const next = page.getByRole('region', { name: /^Next boundaries/ });
  const link = next.getByRole('link', { name: 'thrashes' });
  await expect(link).toHaveAccessibleDescription(/^thrash: Full again/);
  await expect(next.locator('.trouble-word')).toHaveText('thrash');
  const note = next.locator('.trouble-note');
  await expect(note).toBeHidden();
  await next.locator('.trouble').hover();
  await expect(note, 'hover shows the note').toBeVisible();
  await page.mouse.move(0, 0);
  await expect(note).toBeHidden();
  await link.focus();
  await expect(note, 'focus shows the note').toBeVisible();
  await expectAccessibleInBoth(page);

  await page.keyboard.press('w');
  await expect(cards(page)).toHaveCount(3);
  await expect(cards(page).filter({ hasText: 'thrashes' })).toContainText('thrash');
  await expect(wall(page).locator('.wall-counts')).toContainText('need attention');
  await expectAccessibleInBoth(page);
});
