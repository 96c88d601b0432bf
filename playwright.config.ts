import { defineConfig } from '@playwright/test';
import { browserArguments } from './e2e/support/browser-arguments';

/**
 * `npm run test:e2e` finds a browser and names it in E2E_BROWSER_PATH; the stories start their servers themselves.
 */
const executablePath = process.env.E2E_BROWSER_PATH ?? '/usr/bin/chromium';
const environment = Object.fromEntries(
  Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
);
/** Variables that the browser needs, as JSON. */
const browserEnvironment = JSON.parse(process.env.E2E_BROWSER_ENVIRONMENT ?? '{}') as Record<string, string>;

export default defineConfig({
  testDir: './e2e',
  // The wire tests (*.db.test.ts) need no browser and run under Vitest.
  testMatch: '**/*.spec.ts',
  outputDir: './test-results/playwright',
  // Each worker has its own server. Stories often wait, so two workers would leave half of two cores idle.
  workers: 4,
  fullyParallel: false,
  forbidOnly: true,
  retries: 0,
  // Long enough for a busy machine: axe over a large page takes ten times as long there.
  timeout: 300_000,
  expect: { timeout: 30_000 },
  projects: [
    // The pictures start first, because they take longest.
    {
      name: 'screens',
      testMatch: '**/screens.spec.ts',
      snapshotPathTemplate: './e2e/pictures/{arg}{ext}',
      use: { screenshot: 'off' },
    },
    // Only the stories of the examples have pictures.
    {
      name: 'stories',
      testIgnore: '**/screens.spec.ts',
      snapshotPathTemplate: './runner/examples/pictures/{arg}{ext}',
    },
  ],
  reporter: [['list'], ['json', { outputFile: './test-results/playwright.json' }]],
  use: {
    browserName: 'chromium',
    headless: true,
    locale: 'en-GB',
    timezoneId: 'UTC',
    screenshot: 'only-on-failure',
    // A trace slows a story down. `npm run test:e2e -- --trace retain-on-failure` records traces.
    trace: 'off',
    video: 'off',
    launchOptions: {
      executablePath,
      args: browserArguments(process.geteuid?.() === 0),
      env: { ...environment, ...browserEnvironment },
    },
  },
});
