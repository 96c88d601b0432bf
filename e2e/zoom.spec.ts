/** Layout in every window, at 200 % zoom (a window of half the pixels), and without motion. */
import type { Locator, Page } from '@playwright/test';
import { badge, open, overflow, PAGES } from './support/screen';
import { expect, test } from './support/test';

/** 1440 × 900 and 1920 × 1080 at 200 %. */
const HALVES = [
  { width: 720, height: 450 },
  { width: 960, height: 540 },
] as const;
/** At widths between tablet and laptop, the bar has the least room for its content. */
const WINDOWS = [
  { width: 360, height: 740 },
  ...HALVES,
  { width: 1120, height: 800 },
  { width: 1279, height: 800 },
  { width: 1440, height: 900 },
  { width: 3840, height: 2160 },
] as const;

/**
 * Text that leaves the window without scrolling or an ellipsis, text that a box cuts in mid-letter, and overlapping
 * controls of the bar.
 */
function findCut(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    const isReadable = (element: Element | null): boolean => {
      if (element === null) return false;
      const { overflowX, textOverflow } = getComputedStyle(element);
      const ends =
        /(auto|scroll)/.test(overflowX) || (overflowX !== 'visible' && textOverflow === 'ellipsis');
      return ends || isReadable(element.parentElement);
    };
    // The ellipsis of a box does not end the text of a button or another block in it.
    const isCutIn = (element: Element, right: number, isBlock: boolean): boolean => {
      const { overflowX, textOverflow, display } = getComputedStyle(element);
      if (/auto|scroll/.test(overflowX) || element === document.body) return false;
      const box = element.getBoundingClientRect();
      if (box.width <= 1) return false;
      if (overflowX !== 'visible' && box.right < right - 1) return isBlock || textOverflow !== 'ellipsis';
      const isOwnBlock = element.tagName === 'BUTTON' || display !== 'inline';
      return element.parentElement !== null && isCutIn(element.parentElement, right, isBlock || isOwnBlock);
    };
    for (const element of document.querySelectorAll<HTMLElement>('body *')) {
      const hasWords = [...element.childNodes].some(
        (node) => node.nodeType === 3 && node.textContent?.trim(),
      );
      if (!hasWords || !element.checkVisibility({ visibilityProperty: true })) continue;
      const { left, right, width, height } = element.getBoundingClientRect();
      // Text for screen readers has a box of one pixel.
      if (width <= 1 || height <= 1) continue;
      const range = document.createRange();
      range.selectNodeContents(element);
      if (isCutIn(element, range.getBoundingClientRect().right, false))
        found.push(`cut: ${element.textContent?.trim()}`);
      if (isReadable(element.parentElement)) continue;
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
        if (!apart) found.push(`overlap: ${one.textContent} / ${other.textContent}`);
      }
    }
    return found;
  });
}

async function expectWithin(page: Page, dialog: Locator): Promise<void> {
  const { x, y, width, height } = (await dialog.boundingBox()) ?? { x: -1, y: -1, width: 0, height: 0 };
  const window = page.viewportSize() ?? { width: 0, height: 0 };
  expect(Math.min(x, y)).toBeGreaterThanOrEqual(0);
  expect(x + width).toBeLessThanOrEqual(window.width);
  expect(y + height).toBeLessThanOrEqual(window.height);
}

test('Every page loads without an error and fits each window, from a phone to a wall', async ({
  page,
  fleet,
  empty,
}) => {
  const paths = [...PAGES, `/sessions/${fleet.sessionId}`].map((path) => fleet.url + path);
  for (const url of [empty.url, ...paths]) {
    await page.setViewportSize(WINDOWS[0]);
    const answer = await page.goto(url);
    expect(answer?.status(), url).toBe(200);
    expect(answer?.headers()['content-security-policy'], url).toContain("script-src 'self' 'nonce-");
    await expect(badge(page), url).toHaveText('live');
    await expect(page.getByRole('heading', { level: 1 }), url).toHaveCount(1);
    await expect(page, url).toHaveTitle(/Barograph/);
    for (const size of WINDOWS) {
      await page.setViewportSize(size);
      const place = `${url} at ${size.width}`;
      await expect.poll(() => overflow(page), place).toBeLessThanOrEqual(0);
      if (size.width > 700) await expect.poll(() => findCut(page), place).toEqual([]);
    }
  }
});

test('Palette and dialogs fit a window at 200 % and can be scrolled', async ({ page, fleet }) => {
  for (const size of HALVES) {
    await page.setViewportSize(size);
    await open(page, `${fleet.url}/settings`);
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog', { name: 'Commands' });
    await expect(palette.getByRole('option').first()).toBeVisible();
    await expectWithin(page, palette);
    await page.keyboard.press('Escape');

    await open(page, `${fleet.url}/settings`);
    await page.getByRole('button', { name: 'Change the lines of web-shop' }).click();
    const lines = page.getByRole('dialog', { name: 'Lines of web-shop' });
    await expectWithin(page, lines);
    const save = lines.getByRole('button', { name: 'Save' });
    await save.scrollIntoViewIfNeeded();
    await expect(save).toBeInViewport();
    await page.keyboard.press('Escape');
  }
});

test('No page has animations or transitions under reduced motion', async ({ page, fleet }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  for (const path of ['/', '/transcripts', '/?view=wall', `/sessions/${fleet.sessionId}`]) {
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
