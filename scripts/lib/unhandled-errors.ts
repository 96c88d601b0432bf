import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Reporter } from 'vitest/node';
import { projectFolder } from './project-folder';

const path = join(projectFolder, 'test-results', 'unhandled-errors.json');

/** Errors outside of tests, such as unhandled rejections, with the file that ran; Vitest's JSON report lacks them. */
export interface UnhandledError {
  /** Absolute path; null if Vitest does not know it. */
  file: string | null;
  message: string;
}

/** A Vitest reporter, because a failed file can only run again if it is known. */
export const writeUnhandledErrors: Reporter = {
  onTestRunEnd(_modules, errors) {
    const written = errors.map((error): UnhandledError => {
      const { VITEST_TEST_PATH: file } = error as { VITEST_TEST_PATH?: string };
      return { file: file ?? null, message: error.stack ?? error.message };
    });
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, JSON.stringify(written));
  },
};

export const readUnhandledErrors = (): UnhandledError[] => JSON.parse(readFileSync(path, 'utf8'));
