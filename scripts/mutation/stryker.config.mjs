/** Stryker changes the rules of the accounting and of the library one by one. After each change, a test must fail. */
import { fileURLToPath } from 'node:url';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

export default {
  testRunner: 'vitest',
  plugins: [here('node_modules/@stryker-mutator/vitest-runner/dist/src/index.js')],
  mutate: [
    'core/{accounting,identity}/**/*.ts',
    'core/forecast/plain-rate.ts',
    'runner/src/{usage,tracker}/**/*.ts',
    '!**/*.{test,fixture}.ts',
    '!**/*testing*',
    '!**/testing/**',
  ],
  // Works on a copy, so that the checkout never changes.
  ignorePatterns: [
    '*',
    ...['core', 'core/**', 'runner', 'runner/**', 'scripts', 'scripts/mutation'].map((path) => `!${path}`),
    ...['scripts/mutation/*.ts', 'package.json', 'tsconfig.json'].map((path) => `!${path}`),
    'runner/dist',
  ],
  tempDirName: '.mutation',
  // Stryker cannot rewrite the configuration of this TypeScript version, and the tests need none.
  tsconfigFile: 'none.json',
  disableTypeChecks: false,
  vitest: { configFile: 'scripts/mutation/vitest.config.ts' },
  coverageAnalysis: 'perTest',
  // A slow run on a busy machine must not count as an endless loop.
  timeoutMS: 30_000,
  concurrency: 2,
  reporters: ['clear-text', 'progress-append-only'],
  clearTextReporter: { logTests: false, reportTests: false, skipFull: true },
  thresholds: { high: 100, low: 98, break: 98 },
};
