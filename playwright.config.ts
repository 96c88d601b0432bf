import { defineConfig } from '@playwright/test';
import { browserArguments } from './e2e/support/browser-arguments';

/**
 * `npm run test:e2e` finds a browser first and names it in E2E_BROWSER_PATH; the stories start the server they
 * need themselves. Videos would need a download, traces and screenshots do not.
 */
const executablePath = process.env.E2E_BROWSER_PATH ?? '/usr/bin/chromium';
const environment = Object.fromEntries(
  Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
);
/** What the browser found needs beside it, as JSON. */
const browserEnvironment = JSON.parse(process.env.E2E_BROWSER_ENVIRONMENT ?? '{}') as Record<string, string>;

export default defineConfig({
  testDir: './e2e',
  // Stories of the wire (*.db.test.ts) need no browser and run with the other tests.
  testMatch: '**/*.spec.ts',
  outputDir: './test-results/playwright',
  // Each has a server of its own. Stories wait more than they compute, so two fit on two cores.
  workers: 2,
  fullyParallel: false,
  forbidOnly: true,
  // A story that passes at its second attempt alone is told by name, and more than two of them fail the run.
  retries: 1,
  // A verdict on the product, not on how busy the machine is.
  timeout: 120_000,
  expect: { timeout: 20_000 },
  projects: [
    // They begin in this order. The pictures are one long story: at the end a core would have nothing to do beside it.
    {
      name: 'screens',
      testMatch: '**/screens.spec.ts',
      snapshotPathTemplate: './e2e/pictures/{arg}{ext}',
      // Each picture is beside its difference anyway, and a trace of them all takes longer than they do.
      use: { trace: 'off', screenshot: 'off' },
    },
    {
      name: 'examples',
      testMatch: '**/examples.spec.ts',
      // Beside the examples, because their readers want to see them too.
      snapshotPathTemplate: './runner/examples/pictures/{arg}{ext}',
    },
    { name: 'stories', testIgnore: ['**/examples.spec.ts', '**/screens.spec.ts'] },
  ],
  reporter: [['list'], ['json', { outputFile: './test-results/playwright.json' }]],
  use: {
    browserName: 'chromium',
    headless: true,
    locale: 'en-GB',
    timezoneId: 'UTC',
    screenshot: 'only-on-failure',
    trace: 'retain-on-failure',
    video: 'off',
    launchOptions: {
      executablePath,
      args: browserArguments(process.geteuid?.() === 0),
      env: { ...environment, ...browserEnvironment },
    },
  },
});
