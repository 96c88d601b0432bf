import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const root = fileURLToPath(new URL('.', import.meta.url));
const rooms = '{app,bench,components,core,db,e2e,runner,scripts,server}';
const neverTests = ['**/node_modules/**', '**/dist/**', '**/.next/**', 'e2e/**/*.spec.ts'];

/**
 * `unit` needs only Node. `db` uses one embedded Postgres per run (db/testing/global-setup.ts); each file gets its own
 * database, so files run in parallel. `sdks` installs the real SDKs; only `npm run test:agents` runs it.
 */
export default defineConfig({
  resolve: { alias: { '@': root.replace(/\/$/, '') } },
  test: {
    // Tests wait for processes and databases, so two cores have work for four workers.
    maxWorkers: Math.max(4, availableParallelism() - 1),
    // Files share a process, because a new one for each of hundreds of files would cost 0.4 s. Vitest restores globals and
    // environment variables between tests; a file restores its modules (scripts/shared-modules-rule.test.ts).
    isolate: false,
    unstubGlobals: true,
    unstubEnvs: true,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: [`${rooms}/**/*.test.{ts,tsx}`],
          exclude: [...neverTests, '**/*.db.test.ts', '**/*.sdk.test.ts'],
          // Long enough for a busy machine.
          testTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'db',
          include: [`${rooms}/**/*.db.test.ts`],
          exclude: neverTests,
          globalSetup: ['./db/testing/global-setup.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'sdks',
          include: [`${rooms}/**/*.sdk.test.ts`],
          exclude: neverTests,
          globalSetup: ['./db/testing/global-setup.ts', './runner/src/sdks/testing/sdk-sets.ts'],
          testTimeout: 60_000,
          // Packing, and a database, on a busy machine.
          hookTimeout: 120_000,
        },
      },
    ],
    reporters: ['default', 'json'],
    outputFile: { json: './test-results/vitest.json' },
  },
});
