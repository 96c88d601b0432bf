/**
 * Find a Chromium that starts: the variable E2E_BROWSER (a path, or `package`), the system's, Playwright's cache, the one
 * inside an npm package, and last, because they load from outside, Playwright's installer and the package manager as root.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { delimiter, join } from 'node:path';
import { chromium } from '@playwright/test';
import { projectFolder } from '../lib/project-folder';

export interface Browser {
  path: string;
  /** Environment variables that the browser needs in addition to those of this process. */
  environment: Record<string, string>;
  source: string;
}

const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome'];
const places = [
  '/usr/bin',
  '/usr/local/bin',
  '/snap/bin',
  '/opt/google/chrome',
  '/Applications/Chromium.app/Contents/MacOS',
  '/Applications/Google Chrome.app/Contents/MacOS',
];

const INSTALL_TIMEOUT_MS = 120_000;
const START_TIMEOUT_MS = 60_000;

type Say = (line: string) => void;

/** @throws an Error that lists what was tried. */
export async function findBrowser(environment: NodeJS.ProcessEnv, say: Say): Promise<Browser> {
  const tried: string[] = [];
  const attempts =
    environment.E2E_BROWSER === 'package'
      ? [fromPackage]
      : [fromVariable, fromSystem, fromPlaywright, fromPackage, fromInstaller, fromPackageManager];
  for (const attempt of attempts) {
    for (const browser of await attempt(environment, say)) {
      const problem = await tryStarting(browser);
      if (problem === null) return browser;
      tried.push(`${browser.source} ${browser.path}: ${problem}`);
      say(`${browser.source} ${browser.path} does not start; trying the next.`);
    }
  }
  throw new Error(`No browser starts here. Set E2E_BROWSER to a Chromium. Tried:\n${tried.join('\n')}`);
}

type Attempt = (environment: NodeJS.ProcessEnv, say: Say) => Browser[] | Promise<Browser[]>;

const found = (source: string, path: string): Browser[] =>
  existsSync(path) ? [{ path, environment: {}, source }] : [];

const fromVariable: Attempt = ({ E2E_BROWSER }) =>
  E2E_BROWSER === undefined || E2E_BROWSER === ''
    ? []
    : [{ path: E2E_BROWSER, environment: {}, source: 'E2E_BROWSER' }];

const fromSystem: Attempt = ({ PATH = '' }) => {
  const folders = [...new Set([...PATH.split(delimiter).filter(Boolean), ...places])];
  const files = [...names, 'Chromium', 'Google Chrome'];
  return folders.flatMap((folder) => files.flatMap((name) => found('system', join(folder, name))));
};

const fromPlaywright: Attempt = () => found("Playwright's", chromium.executablePath());

const fromInstaller: Attempt = (environment, say) => {
  say('Asking Playwright to install Chromium …');
  const cli = join(projectFolder, 'node_modules', '@playwright', 'test', 'cli.js');
  run(process.execPath, [cli, 'install', '--only-shell', 'chromium'], environment);
  run(process.execPath, [cli, 'install', 'chromium'], environment);
  return found("Playwright's", chromium.executablePath());
};

const fromPackageManager: Attempt = (environment, say) => {
  if (process.geteuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return [];
  say('Asking apt to install Chromium …');
  const withoutQuestions = { ...environment, DEBIAN_FRONTEND: 'noninteractive' };
  run('apt-get', ['install', '-y', '--no-install-recommends', 'chromium'], withoutQuestions);
  return fromSystem(environment, say);
};

/**
 * Needs only npm. The package unpacks its shared libraries and fonts only on its cloud service, so these
 * variables imitate it with a private temporary folder.
 */
const fromPackage: Attempt = async (_, say) => {
  if (process.platform !== 'linux' || process.arch !== 'x64') return [];
  say('Unpacking the Chromium of @sparticuz/chromium …');
  const folder = join(tmpdir(), `barograph-browser-${userInfo().uid}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const before = { ...process.env };
  Object.assign(process.env, { TMPDIR: folder, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' });
  try {
    const { default: bundled } = await import('@sparticuz/chromium');
    const path = await bundled.executablePath();
    const fonts = join(folder, 'fonts.conf');
    writeFileSync(fonts, fontSettings(folder));
    const environment = { LD_LIBRARY_PATH: join(folder, 'al2023/lib'), FONTCONFIG_FILE: fonts };
    return found('@sparticuz/chromium', path).map((browser) => ({ ...browser, environment }));
  } catch (error) {
    say(`@sparticuz/chromium: ${error instanceof Error ? error.message : String(error)}`);
    return [];
  } finally {
    process.env = before;
  }
};

/** The package's own settings name the folder of its cloud service; pages crash if the browser finds no font. */
function fontSettings(folder: string): string {
  const settings = [
    `<dir>${join(folder, 'fonts')}</dir>`,
    `<cachedir>${join(folder, 'fonts-cache')}</cachedir>`,
  ];
  return `<?xml version="1.0"?>\n<fontconfig>${settings.join('')}</fontconfig>\n`;
}

function run(file: string, args: string[], environment: NodeJS.ProcessEnv): void {
  const limits = { timeout: INSTALL_TIMEOUT_MS, killSignal: 'SIGKILL' } as const;
  spawnSync(file, args, { env: environment, stdio: 'ignore', ...limits });
}

/** Null if the browser opens a page, otherwise the first line of the error. */
async function tryStarting(found: Browser): Promise<string | null> {
  try {
    const started = await launch(found);
    try {
      const page = await started.newPage();
      // Text, because a browser without fonts fails there.
      await page.goto('data:text/html,<title>ready</title><p>ready &#x2192; &#x1F600;');
      return (await page.title()) === 'ready' ? null : 'shows no page';
    } finally {
      await started.close();
    }
  } catch (error) {
    return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? 'unknown';
  }
}

function launch({ path, environment }: Browser) {
  return chromium.launch({
    executablePath: path,
    // The browser's own sandbox does not work for root.
    args: process.geteuid?.() === 0 ? ['--no-sandbox'] : [],
    env: { ...(process.env as Record<string, string>), ...environment },
    timeout: START_TIMEOUT_MS,
  });
}

export async function launchBrowser() {
  return launch(await findBrowser(process.env, (line) => process.stderr.write(`${line}\n`)));
}
