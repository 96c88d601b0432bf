/**
 * The tests that must notice a mutant: those of its own place (MUTATION_TESTS, from scope.ts). Properties of the whole
 * fold are left out: they would notice much by luck, in most of the time, where a rule wants a test that names it.
 */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: [process.env.MUTATION_TESTS ?? 'none'],
    exclude: ['**/node_modules/**', '**/fold.properties.test.ts'],
    setupFiles: ['./scripts/mutation/seed-properties.ts'],
    testTimeout: 30_000,
    // One worker for a mutant in place of one for each file; no test here changes what another one sees.
    isolate: false,
  },
});
