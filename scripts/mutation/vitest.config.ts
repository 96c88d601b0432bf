/**
 * The tests that must notice a mutant: those beside the source and the shared vectors, no others. Properties of the
 * whole fold are left out: they would notice much by luck, in most of the time, where a rule wants a test that
 * names it.
 */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: [
      'core/{accounting,forecast,identity,vectors}/**/*.test.ts',
      'runner/src/{openai,restart,tracker,usage}/**/*.test.ts',
    ],
    exclude: ['**/node_modules/**', '**/fold.properties.test.ts'],
    setupFiles: ['./scripts/mutation/seed-properties.ts'],
    testTimeout: 30_000,
  },
});
