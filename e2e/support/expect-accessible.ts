import AxeBuilder from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

export const THEMES = ['light', 'dark'] as const;
type Theme = (typeof THEMES)[number];

/** The rules whose verdict the theme can change: the markup of both themes is the same. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/**
 * In the light theme by every rule of axe; in the dark one by those on colour, for the rest is the same.
 * @param within a selector, where the rest of the page was looked at already
 */
export async function expectAccessible(page: Page, theme: Theme, within?: string): Promise<void> {
  // No frames of others are in the pages, so that one run says all; of what passes nothing is asked.
  const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] });
  if (theme === 'dark') axe.withRules(COLOUR_RULES);
  if (within !== undefined) axe.include(within);
  const { violations } = await axe.analyze();
  expect(
    violations.map(({ id, help, nodes }) => ({ id, help, at: nodes.map(({ target }) => target.join(' ')) })),
    `no finding of axe in the ${theme} theme`,
  ).toEqual([]);
}

/**
 * Both, on the page as it stands: what is open stays open.
 * @param within as above
 */
export async function expectAccessibleInBoth(page: Page, within?: string): Promise<void> {
  for (const theme of THEMES) {
    await page.emulateMedia({ colorScheme: theme });
    await expectAccessible(page, theme, within);
  }
}
