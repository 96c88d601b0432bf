import AxeBuilder from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

export const THEMES = ['light', 'dark'] as const;

/** In the light theme by every rule of axe; in the dark one by those on colour, for the rest is the same. */
export async function expectAccessible(page: Page, theme: (typeof THEMES)[number]): Promise<void> {
  // No frames of others are in the pages, so that one run says all; of what passes nothing is asked.
  const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] });
  if (theme === 'dark') axe.withRules(['color-contrast', 'link-in-text-block']);
  const { violations } = await axe.analyze();
  expect(
    violations.map(({ id, help, nodes }) => ({ id, help, at: nodes.map(({ target }) => target.join(' ')) })),
  ).toEqual([]);
}

/** Both, on the page as it stands: what is open stays open. */
export async function expectAccessibleInBoth(page: Page): Promise<void> {
  for (const theme of THEMES) {
    await page.emulateMedia({ colorScheme: theme });
    await expectAccessible(page, theme);
  }
}
