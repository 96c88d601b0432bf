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

/**
 * The first installs a real Claude Code from the registry. The second takes long; e2e/wire/wire.db.test.ts covers what is
 * stored after a kill, and lost-server.spec.ts what the pages show.
 */
const ONLY_FULL = ['**/watch-and-act.spec.ts', '**/killed-server.spec.ts'];

export default defineConfig({
  testDir: './e2e',
  // The wire tests (*.db.test.ts) need no browser and run under Vitest.
  testMatch: '**/*.spec.ts',
  outputDir: './test-results/playwright',
  // Each worker has its own server. Stories often wait, so two workers would leave half of two cores idle.
  workers: 4,
  fullyParallel: false,
  forbidOnly: true,
  // A failed story runs once more by itself, after the others; the sum lists it as unstable.
  retries: 1,
  retryStrategy: 'isolated',
  // Long enough for a busy machine: axe over a large page takes ten times as long there.
  timeout: 300_000,
  expect: { timeout: 60_000, toPass: { timeout: 120_000 } },
  projects: [
    // What `npm test` runs; pictures are not compared, because each version of Chromium draws letters differently.
    {
      name: 'stories',
      testIgnore: ['**/screens.spec.ts', ...ONLY_FULL],
      ignoreSnapshots: true,
    },
    // The next three run only in `npm run test:full`.
    {
      name: 'screens',
      testMatch: '**/screens.spec.ts',
      snapshotPathTemplate: './e2e/pictures/{arg}{ext}',
      use: { screenshot: 'off' },
    },
    {
      name: 'examples',
      testMatch: '**/examples.spec.ts',
      snapshotPathTemplate: './runner/examples/pictures/{arg}{ext}',
    },
    { name: 'outside', testMatch: ONLY_FULL },
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
