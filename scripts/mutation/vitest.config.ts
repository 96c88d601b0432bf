import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: [
      'core/{accounting,explain,forecast,identity,vectors}/**/*.test.ts',
      'runner/src/{usage,tracker}/**/*.test.ts',
    ],
    // Property tests detect a mutation only by chance; an example test must detect it.
    exclude: ['**/node_modules/**', '**/*.properties.test.ts'],
    testTimeout: 30_000,
    isolate: false,
  },
});
