import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { PATIENCE_MS } from './core/testing/patience';
import { writeUnhandledErrors } from './scripts/lib/unhandled-errors';

const root = fileURLToPath(new URL('.', import.meta.url));
const rooms = '{app,bench,components,core,db,e2e,runner,scripts,server}';
const neverTests = ['**/node_modules/**', '**/dist/**', '**/.next/**', 'e2e/**/*.spec.ts'];

/** A hang ends here. Tests have no other upper bound of time, because a busy machine would reach it. */
const LIMIT_MS = 180_000;
const limits = { testTimeout: LIMIT_MS, hookTimeout: LIMIT_MS, teardownTimeout: LIMIT_MS };

/**
 * `unit` needs only Node. `db` uses one embedded Postgres per run (db/testing/global-setup.ts); each file gets its own
 * database, so files run in parallel. `outside` needs programs of the system, and `sdks` installs the real SDKs; only
 * `npm run test:full` runs these two.
 */
export default defineConfig({
  resolve: { alias: { '@': root.replace(/\/$/, '') } },
  test: {
    // Tests wait for processes and databases, so two cores have work for four workers.
    maxWorkers: Math.max(4, availableParallelism() - 1),
    setupFiles: ['./core/testing/patient-waits.ts'],
    expect: { poll: { timeout: PATIENCE_MS, interval: 50 } },
    unstubGlobals: true,
    unstubEnvs: true,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: [`${rooms}/**/*.test.{ts,tsx}`],
          exclude: [...neverTests, '**/*.db.test.ts', '**/*.sdk.test.ts', '**/*.outside.test.ts'],
          ...limits,
        },
      },
      {
        extends: true,
        test: {
          name: 'db',
          include: [`${rooms}/**/*.db.test.ts`],
          exclude: neverTests,
          globalSetup: ['./db/testing/global-setup.ts'],
          ...limits,
        },
      },
      {
        extends: true,
        test: {
          name: 'outside',
          include: [`${rooms}/**/*.outside.test.ts`],
          exclude: neverTests,
          globalSetup: ['./db/testing/global-setup.ts'],
          ...limits,
        },
      },
      {
        extends: true,
        test: {
          name: 'sdks',
          include: [`${rooms}/**/*.sdk.test.ts`],
          exclude: neverTests,
          globalSetup: ['./db/testing/global-setup.ts', './runner/src/sdks/testing/sdk-sets.ts'],
          ...limits,
        },
      },
    ],
    reporters: ['default', 'json', writeUnhandledErrors],
    outputFile: { json: './test-results/vitest.json' },
  },
});
