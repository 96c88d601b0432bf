/**
 * The fleet page of ten thousand active sessions in a real browser: the built server, runners that report over the wire, and
 * a page that is loaded, watched and used meanwhile.
 */
import { type ChildProcess, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from '@playwright/test';
import { findBrowser } from '../../scripts/browser/find-browser';
import { projectFolder } from '../../scripts/lib/project-folder';
import { bundleProcess, spawnBundle } from '../lib/bundle-process';
import { keepBehind } from '../lib/keep-behind';
import type { BenchDatabase } from '../lib/start-bench-database';
import { waitForServer } from '../lib/wait-for-server';
import type { PlayMessage, PlayRequest } from './play-messages';
import { type PageLook, type PageView, viewPage, watchPage } from './watch-page';

export interface FleetPageOptions {
  sessions: number;
  turnsPerSecond: number;
  rounds: number;
  port: number;
}

export interface FleetPageMeasured {
  /** Load times, with the server at normal priority. */
  views: PageView[];
  /** Tasks of the page, with server, database and runners at low priority. */
  looks: PageLook[];
  /** Rate that the runners sent. */
  turnsPerSecond: number;
}

const RUNNERS = 20;
const TURNS_BEFORE = 12;
const WATCH_MS = 10_000;
/** Of each round. */
const VIEWS = 3;

export async function measureFleetPage(
  database: BenchDatabase,
  { sessions, turnsPerSecond, rounds, port }: FleetPageOptions,
): Promise<FleetPageMeasured> {
  buildPages();
  const dataFolder = mkdtempSync(join(tmpdir(), 'barograph-bench-data-'));
  const env = { PATH: process.env.PATH ?? '', HOME: dataFolder };
  const server = spawnBundle(
    join(projectFolder, 'dist', 'server', 'main.mjs'),
    {
      ...env,
      BAROGRAPH_PORT: String(port),
      BAROGRAPH_DATA_DIR: dataFolder,
      BAROGRAPH_LOG_LEVEL: 'warn',
      DATABASE_URL: database.url,
    },
    { ownSession: true },
  );
  const fleet = spawnBundle(await bundleProcess('bench/fleet-page/play-process.ts'), env, {
    ownSession: true,
  });
  const found = await findBrowser(process.env, () => undefined);
  const browser = await chromium.launch({
    executablePath: found.path,
    args: process.geteuid?.() === 0 ? ['--no-sandbox'] : [],
    env: { ...env, ...found.environment },
  });
  let release: (() => void) | undefined;
  try {
    const { url, ingestToken } = await waitForServer(server, dataFolder);
    await ask(fleet, {
      type: 'begin',
      url: `${url.replace(/^http/, 'ws')}/v1/ingest`,
      token: ingestToken,
      sessions,
      runners: RUNNERS,
      turnsBefore: TURNS_BEFORE,
      turnsPerSecond,
    });
    fleet.send({ type: 'go' } satisfies PlayRequest);
    // The first view warms up the server and does not count.
    await viewPage(browser, url, sessions);
    const views: PageView[] = [];
    while (views.length < VIEWS * rounds) views.push(await viewPage(browser, url, sessions));
    release = keepBehind([server.pid, fleet.pid, database.pid]);
    const looks: PageLook[] = [];
    while (looks.length < rounds) looks.push(await watchPage(browser, url, { sessions, watchMs: WATCH_MS }));
    const stopped = await ask(fleet, { type: 'stop' });
    const sent = stopped.type === 'stopped' ? (stopped.turns / stopped.elapsedMs) * 1_000 : 0;
    return { views, looks, turnsPerSecond: sent };
  } finally {
    release?.();
    await browser.close();
    fleet.kill();
    server.kill('SIGTERM');
    if (server.exitCode === null) await once(server, 'exit');
    rmSync(dataFolder, { recursive: true, force: true });
  }
}

/** Build the current sources if needed. */
function buildPages(): void {
  const { status } = spawnSync('npx', ['tsx', 'scripts/build.ts', '--if-needed'], {
    cwd: projectFolder,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) throw new Error('the pages could not be built');
}

async function ask(fleet: ChildProcess, request: PlayRequest): Promise<PlayMessage> {
  const answer = once(fleet, 'message');
  const failed = once(fleet, 'exit').then(() => {
    throw new Error('the process that plays the fleet ended early');
  });
  failed.catch(() => undefined);
  fleet.send(request);
  const [message] = (await Promise.race([answer, failed])) as [PlayMessage];
  return message;
}
