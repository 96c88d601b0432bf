import AxeBuilder from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

const THEMES = ['light', 'dark'] as const;
type Theme = (typeof THEMES)[number];

/** Rules that depend on the theme. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/**
 * Expect no axe findings. The light theme is checked by every rule, the dark theme by the colour rules.
 * @param within selector of the part to check
 */
export async function expectAccessible(page: Page, theme: Theme, within?: string): Promise<void> {
  // Legacy mode does not check frames of other origins; pages have none.
  const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] });
  if (theme === 'dark') axe.withRules(COLOUR_RULES);
  if (within !== undefined) axe.include(within);
  const { violations } = await axe.analyze();
  expect(
    violations.map(({ id, help, nodes }) => ({ id, help, at: nodes.map(({ target }) => target.join(' ')) })),
    `no finding of axe in the ${theme} theme`,
  ).toEqual([]);
}

/** Expect no axe findings in both themes, without a reload. */
export async function expectAccessibleInBoth(page: Page, within?: string): Promise<void> {
  for (const theme of THEMES) {
    await page.emulateMedia({ colorScheme: theme });
    await expectAccessible(page, theme, within);
  }
}
