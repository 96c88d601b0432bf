import { chromium } from '@playwright/test';
import { expect, it } from 'vitest';
import { browserArguments, DISABLED_FEATURES } from './browser-arguments';

it('disables every feature that Playwright disables', async () => {
  // The error message for a wrong program contains the whole command line.
  const refused = await chromium.launch({ executablePath: process.execPath }).catch(String);
  const [, list = ''] = /--disable-features=(\S+)/.exec(String(refused)) ?? [];
  expect(list.split(',').length).toBeGreaterThan(5);
  expect(DISABLED_FEATURES).toEqual(expect.arrayContaining(list.split(',')));
});

it('disables the sandbox only for root', () => {
  expect(browserArguments(true)).toContain('--no-sandbox');
  expect(browserArguments(false)).not.toContain('--no-sandbox');
});
