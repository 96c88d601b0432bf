/** The examples of the library, and the pictures of their sessions. */
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { projectFolder } from '@/scripts/lib/project-folder';
import { trace } from './support/drawing';
import { Program } from './support/program';
import { readApi } from './support/read-api';
import { open, sheet } from './support/screen';
import type { BarographServer } from './support/server';
import { expect, test } from './support/test';

const EXAMPLES = [
  'report-a-session',
  'context-usage',
  'restart-loop',
  'precompact-archive',
  'openai-snapshots',
  'context-tracker',
] as const;

const folder = join(projectFolder, 'runner', 'examples');
for (const name of EXAMPLES) {
  test(`The example ${name} runs, and its session shows the reported turns`, async ({ page, server }) => {
    await run(server, `${name}.mjs`);
    await expectPicture(server, page, name);
  });
}

async function run(server: BarographServer, example: string): Promise<void> {
  const started = new Program(process.execPath, [join(folder, example)], {
    home: server.home,
    environment: server.environment,
    folder,
  });
  const { code } = await started.ended;
  expect(started.stdout + started.stderr).toContain('Everything was stored.');
  expect(code).toBe(0);
}

/** The x axis shows turns, because an example ends within a second. `--update-snapshots` renews the pictures. */
async function expectPicture(server: BarographServer, page: Page, runner: string): Promise<void> {
  await page.setViewportSize({ width: 1280, height: 900 });
  const [session] = await readApi(server).sessions({ runner });
  await open(page, `${server.url}/sessions/${session?.id}?axis=turns`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(session?.title ?? 'a title');
  await expect(trace(page).first()).toBeAttached();
  // Compared only in the project `examples`.
  await expect(sheet(page)).toHaveScreenshot(`${runner}.png`, { maxDiffPixelRatio: 0.02 });
}
