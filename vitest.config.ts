import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const root = fileURLToPath(new URL('.', import.meta.url));
const rooms = '{app,bench,components,core,db,e2e,runner,scripts,server}';
const neverTests = ['**/node_modules/**', '**/dist/**', '**/.next/**', 'e2e/**/*.spec.ts'];

/**
 * `unit` needs nothing but Node. `db` shares one embedded Postgres per run (db/testing/global-setup.ts);
 * each file gets a database of its own, so its files run side by side.
 */
export default defineConfig({
  resolve: { alias: { '@': root.replace(/\/$/, '') } },
  test: {
    // More than cores where there are two: tests wait for processes and databases, and two at once left a quarter idle.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    // One process for many files: a fresh one for each costs 0.4 s of computing, of which there are hundreds. What a
    // file replaces is put back: globals and variables here, modules by itself (scripts/shared-modules-rule.test.ts).
    isolate: false,
    unstubGlobals: true,
    unstubEnvs: true,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: [`${rooms}/**/*.test.{ts,tsx}`],
          exclude: [...neverTests, '**/*.db.test.ts'],
          // A verdict on the code, not on how busy the machine is.
          testTimeout: 30_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'db',
          include: [`${rooms}/**/*.db.test.ts`],
          exclude: neverTests,
          globalSetup: ['./db/testing/global-setup.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
    ],
    reporters: ['default', 'json'],
    outputFile: { json: './test-results/vitest.json' },
  },
});
