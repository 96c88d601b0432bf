import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: [
      'core/{accounting,explain,forecast,identity,vectors}/**/*.test.ts',
      'runner/src/{usage,tracker}/**/*.test.ts',
    ],
    // A property would notice by luck what a test should name.
    exclude: ['**/node_modules/**', '**/*.properties.test.ts'],
    testTimeout: 30_000,
    isolate: false,
  },
});
