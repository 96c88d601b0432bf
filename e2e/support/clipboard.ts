import { expect, type Page } from '@playwright/test';

export interface CopiedCommand {
  text: string;
  /** The text on one line. */
  line: string;
}

/** Presses the button beside a command and reads the clipboard. The context needs clipboard permissions. */
export async function copyCommand(page: Page, what: string): Promise<CopiedCommand> {
  const button = page.getByRole('button', { name: `Copy ${what}` });
  await button.click();
  await expect(button.getByRole('status')).toHaveText('Copied');
  const text = await page.evaluate(() => navigator.clipboard.readText());
  return { text, line: text.replaceAll(/\s*\\?\n\s*/g, ' ') };
}
