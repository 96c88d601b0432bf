/** The fleet for a large screen: what is readable from four metres, and how the rest is counted. */
import type { Page } from '@playwright/test';
import { expectAccessibleInBoth } from './support/expect-accessible';
import { fleetPath, open, plain, row } from './support/screen';
import { expect, test } from './support/test';

const wall = (page: Page) => page.getByRole('region', { name: 'Wall' });
const cards = (page: Page) =>
  wall(page)
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading') });

/** The wall has its own badge: it covers the bar. */
async function openWall(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await expect(wall(page).getByRole('status')).toHaveText('live');
}

/** How the cards stand on the screen, in pixels. */
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
  project,
}) => {
  let made = 0;
  const grow = async (to: number) => {
    for (; made < to; made += 1) {
      const contextTokens = 20_000 + ((made * 7_919) % 170_000);
      const facts = { title: `Agent ${made} ${project}`, lens: 'snapshot', limit: 200_000 } as const;
      runner.session(`${project}/${made}`, facts).turn({
        contextTokens,
        usage: { input: 10, output: 500, cacheRead: contextTokens - 10 },
      });
    }
    await runner.flush();
  };
  const legible = async () => {
    expect(await measure(page)).toMatchObject({ scrolls: false, cut: [], outside: 0 });
  };
  await grow(3);
  await page.setViewportSize({ width: 1920, height: 1080 });
  await openWall(page, `${server.url}${fleetPath(project)}&view=wall`);
  await expect(cards(page)).toHaveCount(3);
  await expect(page.getByRole('banner')).toBeHidden();
  await legible();

  await grow(40);
  await expect(wall(page).getByText('11more')).toBeVisible();
  await expect(cards(page)).toHaveCount(29);
  await expect(wall(page).locator('.wall-counts')).toContainText('40 live');
  await legible();

  await grow(1_000);
  await expect
    .poll(async () => plain(await wall(page).locator('.wall-rest .wall-figure').innerText()))
    .toBe('971');
  await expect(cards(page)).toHaveCount(29);
  await legible();

  await page.setViewportSize({ width: 3840, height: 2160 });
  await expect(cards(page)).toHaveCount(29);
  await expect.poll(async () => (await measure(page)).smallestFigure).toBeGreaterThanOrEqual(96);
  await legible();

  // As a laptop shows it at 200 %, and a phone: fewer cards, none cut, and no figure below 48 pixels.
  for (const [width, height] of [
    [720, 450],
    [360, 740],
  ] as const) {
    await page.setViewportSize({ width, height });
    await expect.poll(async () => (await measure(page)).smallestFigure).toBeGreaterThanOrEqual(48);
    await legible();
  }
});

test('The wall opens by link, key and button, in order of the next boundary', async ({
  page,
  server,
  runner,
  project,
}) => {
  const begin = Date.now() - 400_000;
  for (const [name, step] of Object.entries({ slow: 1_000, fast: 6_000, faster: 9_000 })) {
    const facts = { title: `${name} ${project}`, lens: 'snapshot', limit: 200_000, at: begin } as const;
    const session = runner.session(`${project}/${name}`, facts);
    for (let turn = 0; turn < 12; turn += 1) {
      const at = begin + turn * 30_000;
      session.turn({ at, contextTokens: 60_000 + turn * step, usage: { input: 10, output: 10 } });
    }
  }
  runner
    .session(`${project}/over`, { title: `over ${project}`, lens: 'cumulative', limit: 1_000 })
    .turn({ usage: { input: 1_200, output: 0 } });
  await runner.flush();
  // Whatever the list is sorted by.
  await open(page, `${server.url}${fleetPath(project)}&sort=-pressure`);
  await expect(row(page, `slow ${project}`)).toBeVisible();
  await page.getByRole('button', { name: 'Wall', exact: true }).click();
  await expect(page).toHaveURL(/sort=-pressure.*view=wall/);
  await expect(cards(page).getByRole('link')).toHaveText(
    ['over', 'faster', 'fast', 'slow'].map((name) => `${name} ${project}`),
  );
  await expect(cards(page).first()).toContainText('over limit');
  await expect(cards(page).first()).toContainText('+0.2koutcomeunknown');
  await expect(cards(page).nth(1)).toContainText('min');

  await page.keyboard.press('w');
  await expect(row(page, `slow ${project}`)).toBeVisible();
  await expect(page).not.toHaveURL(/view=/);
  await page.keyboard.press('Meta+k');
  await expect(page.getByRole('dialog', { name: 'Commands' }).getByRole('combobox')).toBeFocused();
  await page.keyboard.type('as a wall');
  await expect(page.getByRole('option', { name: /as a wall/, selected: true })).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(cards(page)).toHaveCount(4);
  await page.reload();
  await expect(wall(page).getByRole('status')).toHaveText('live');
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await expect(page.getByRole('link', { name: `faster ${project}` })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: `faster ${project}` })).toBeVisible();
  await expect(page.getByRole('banner')).toBeVisible();
  await page.goBack();
  await wall(page).getByRole('button', { name: 'list' }).click();
  await expect(row(page, `slow ${project}`)).toBeVisible();
});

test('The wall keeps its order during keyboard use', async ({ page, server, runner, project }) => {
  const tell = (name: string, input: number) =>
    runner
      .session(`${project}/${name}`, { title: `${name} ${project}`, lens: 'cumulative', limit: 1_000 })
      .turn({ usage: { input, output: 0 } });
  tell('first', 300);
  tell('second', 200);
  await runner.flush();
  await page.clock.install();
  await openWall(page, `${server.url}${fleetPath(project)}&view=wall`);
  await expect(cards(page)).toHaveCount(2);
  await expect(cards(page).first()).toContainText('first');
  await page.keyboard.press('j');
  await expect(cards(page).first().getByRole('link')).toBeFocused();
  tell('second', 700);
  await expect(cards(page).filter({ hasText: 'second' })).toContainText('90 %');
  await expect(cards(page).first(), 'the focus is on it').toContainText('first');
  await page.clock.fastForward(11_000);
  await expect(cards(page).first()).toContainText('second');
  await expect(cards(page).nth(1).getByRole('link'), 'the focus went with its card').toBeFocused();
});

test('Thrashing is marked on the wall and on cards, without axe findings', async ({
  page,
  server,
  runner,
  project,
}) => {
  const title = `Thrashes ${project}`;
  let at = Date.now() - 30 * 60_000;
  const session = runner.session(`${project}/thrash`, { title, lens: 'snapshot', limit: 200_000, at });
  const grow = (turns: number, from: number) => {
    for (let turn = 0; turn < turns; turn += 1) {
      at += 60_000;
      session.turn({ at, contextTokens: from + turn * 5_000, usage: { input: 10, output: 10 } });
    }
  };
  grow(16, 80_000);
  session.compaction({ at: at + 20_000, trigger: 'auto', state: 'confirmed' });
  grow(3, 140_000);
  session.compaction({ at: at + 20_000, trigger: 'auto', state: 'confirmed' });
  grow(6, 110_000);
  runner
    .session(`${project}/over`, { title: `Over ${project}`, lens: 'cumulative', limit: 1_000 })
    .turn({ usage: { input: 1_200, output: 0 } });
  runner
    .session(`${project}/unread`, { title: `Unread ${project}`, lens: 'cumulative' })
    .turn({ usage: null });
  await runner.flush();

  await open(page, server.url + fleetPath(project));
  const next = page.getByRole('region', { name: /^Next to go/ });
  const link = next.getByRole('link', { name: title });
  await expect(link).toHaveAccessibleDescription(/^thrash: Full again/);
  await expect(next.locator('.trouble-word')).toHaveText('thrash');
  const note = next.locator('.trouble-note');
  await expect(note).toBeHidden();
  await next.locator('.trouble').hover();
  await expect(note, 'the pointer asks why').toBeVisible();
  await page.mouse.move(0, 0);
  await expect(note).toBeHidden();
  await link.focus();
  await expect(note, 'and so does the keyboard').toBeVisible();
  await expectAccessibleInBoth(page);

  await page.keyboard.press('w');
  await expect(cards(page)).toHaveCount(3);
  await expect(cards(page).filter({ hasText: title })).toContainText('thrash');
  await expect(wall(page).locator('.wall-counts')).toContainText('in trouble');
  await expectAccessibleInBoth(page);
});
