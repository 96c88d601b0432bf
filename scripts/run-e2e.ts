/** Finds a browser, makes sure the build is current, and runs the Playwright stories: `npm run test:e2e`. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { findBrowser } from './browser/find-browser';
import { projectFolder } from './lib/project-folder';

const say = (line: string) => process.stderr.write(`${line}\n`);

function run(file: string, args: string[], environment: NodeJS.ProcessEnv): number {
  const { status } = spawnSync(process.execPath, [join(projectFolder, 'node_modules', file), ...args], {
    cwd: projectFolder,
    env: environment,
    stdio: 'inherit',
  });
  return status ?? 1;
}

async function main(): Promise<number> {
  const build = [join(projectFolder, 'scripts', 'build.ts'), '--if-needed'];
  const built = run('tsx/dist/cli.mjs', build, process.env);
  if (built !== 0) return built;
  const browser = await findBrowser(process.env, say);
  say(`Browser: ${browser.path} (${browser.source})`);
  return run('@playwright/test/cli.js', ['test', ...process.argv.slice(2)], {
    ...process.env,
    E2E_BROWSER_PATH: browser.path,
    E2E_BROWSER_ENVIRONMENT: JSON.stringify(browser.environment),
  });
}

process.exitCode = await main();
