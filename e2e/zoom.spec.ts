/** Pages at 200 %: a window of half the pixels, as a browser's zoom makes it. And what does not move by itself. */
import type { Locator, Page } from '@playwright/test';
import { expect, PAGES, test } from './support/fleet-test';
import { open } from './support/screen';

/** 1440 × 900 and 1920 × 1080 at 200 %. */
const HALVES = [
  { width: 720, height: 450 },
  { width: 960, height: 540 },
] as const;

/** Words that leave the window sideways where nothing scrolls and no ellipsis says so, and controls of the bar that lie on each other. */
function findCut(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    const isToldOf = (element: Element | null): boolean => {
      if (element === null) return false;
      const { overflowX, textOverflow } = getComputedStyle(element);
      const ends =
        /(auto|scroll)/.test(overflowX) || (overflowX !== 'visible' && textOverflow === 'ellipsis');
      return ends || isToldOf(element.parentElement);
    };
    for (const element of document.querySelectorAll<HTMLElement>('body *')) {
      const hasWords = [...element.childNodes].some(
        (node) => node.nodeType === 3 && node.textContent?.trim(),
      );
      if (!hasWords || !element.checkVisibility({ visibilityProperty: true })) continue;
      const { left, right, width, height } = element.getBoundingClientRect();
      // Words for screen readers alone have a box of one pixel.
      if (width <= 1 || height <= 1 || isToldOf(element.parentElement)) continue;
      if (left < -1 || right > innerWidth + 1) found.push(`outside: ${element.textContent?.trim()}`);
    }
    const controls = [...document.querySelectorAll<HTMLElement>('body > header :is(a, button, form)')].filter(
      (control) => control.checkVisibility() && control.getBoundingClientRect().width > 1,
    );
    for (const [index, one] of controls.entries()) {
      for (const other of controls.slice(index + 1)) {
        if (one.contains(other) || other.contains(one)) continue;
        const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()];
        const apart =
          a.right <= b.left + 1 || b.right <= a.left + 1 || a.bottom <= b.top || b.bottom <= a.top;
        if (!apart) found.push(`on each other: ${one.textContent} / ${other.textContent}`);
      }
    }
    return found;
  });
}

function overflowOf(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}

/** What a dialog does not show can be scrolled to. */
async function expectWithin(page: Page, dialog: Locator): Promise<void> {
  const box = await dialog.boundingBox();
  const { width, height } = page.viewportSize() ?? { width: 0, height: 0 };
  expect(box?.x).toBeGreaterThanOrEqual(0);
  expect(box?.y).toBeGreaterThanOrEqual(0);
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(width);
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(height);
}

test('At 200 % no page scrolls sideways, nothing is cut, and nothing of the bar lies on another', async ({
  page,
  fleet,
}) => {
  for (const path of [...PAGES, `/sessions/${fleet.sessionId}`]) {
    await page.setViewportSize(HALVES[0]);
    await open(page, fleet.url + path);
    for (const size of HALVES) {
      await page.setViewportSize(size);
      await expect.poll(() => overflowOf(page), `${path} at ${size.width}`).toBeLessThanOrEqual(0);
      await expect.poll(() => findCut(page), `${path} at ${size.width}`).toEqual([]);
    }
  }
  // Between a laptop and a tablet the bar has least room for what it shows.
  for (const width of [1024, 1120, 1180, 1279]) {
    await page.setViewportSize({ width, height: 800 });
    await expect.poll(() => findCut(page), `the bar at ${width}`).toEqual([]);
  }
});

test('At 200 % palette, help and dialogs lie within the window, and their ends can be reached', async ({
  page,
  fleet,
}) => {
  for (const size of HALVES) {
    await page.setViewportSize(size);
    await open(page, `${fleet.url}/settings`);
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog', { name: 'Commands' });
    await expect(palette.getByRole('option').first()).toBeVisible();
    await expectWithin(page, palette);
    await page.keyboard.press('Escape');

    await open(page, fleet.url);
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keys' });
    await expectWithin(page, help);
    await help.getByText('this list').scrollIntoViewIfNeeded();
    await expect(help.getByText('this list')).toBeInViewport();
    await page.keyboard.press('Escape');

    await open(page, `${fleet.url}/settings`);
    await page.getByRole('button', { name: 'Change the lines of web-shop' }).click();
    const lines = page.getByRole('dialog', { name: 'Lines of web-shop' });
    await expectWithin(page, lines);
    await lines.getByRole('button', { name: 'Save' }).scrollIntoViewIfNeeded();
    await expect(lines.getByRole('button', { name: 'Save' })).toBeInViewport();
    await page.keyboard.press('Escape');
  }
});

test('Nothing moves by itself: no page has an animation or a transition that less motion would have to stop', async ({
  page,
  fleet,
}) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  for (const path of [...PAGES, '/?view=wall', `/sessions/${fleet.sessionId}`]) {
    await page.goto(fleet.url + path);
    await expect(page.getByRole('status').filter({ hasText: /^live$/ })).toBeVisible();
    await page.keyboard.press('Control+k');
    await expect(page.getByRole('dialog', { name: 'Commands' })).toBeVisible();
    const moving = await page.evaluate(() => ({
      running: document.getAnimations().length,
      meant: [...document.querySelectorAll('*')].filter((element) => {
        const { animationName, transitionDuration, scrollBehavior } = getComputedStyle(element);
        return animationName !== 'none' || /[1-9]/.test(transitionDuration) || scrollBehavior === 'smooth';
      }).length,
    }));
    expect(moving, path).toEqual({ running: 0, meant: 0 });
  }
});
