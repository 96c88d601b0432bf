/**
 * The `test` of all stories. The stories of a worker share `server` and use separate projects; `fleet` and `empty` are
 * only read; `ownServer` belongs to one story, and may be stopped and killed.
 */
import { test as base, expect } from '@playwright/test';
import { findScenario } from '@/core/scenario/find-scenario';
import type { FieldsOf, RunnerSession, TurnFields } from '@/runner/src/client/client-types';
import { Guard } from './guard';
import { type ReadApi, readApi } from './read-api';
import { connectRunner, playScenario, type RunnerOptions, type TestRunner } from './runner';
import { fleetPath, open } from './screen';
import { BarographServer } from './server';
import { makeTempFolder, removeFolder } from './temp-folder';

export interface Reported extends RunnerSession {
  /** Reports one turn per number: the context size, or the input in the cumulative lens. */
  read(...tokens: number[]): void;
}

interface StoryFixtures {
  guard: Guard;
  ownServer: BarographServer;
  /** Read API of the shared server. */
  api: ReadApi;
  /** Project of this story. */
  project: string;
  /** HOME of this story's commands. */
  home: string;
  /** A runner at the shared server, in the story's project. */
  runner: TestRunner;
  /** Connects further runners, which are closed at the end of the story. */
  connect: (server: BarographServer, options?: Partial<RunnerOptions>) => TestRunner;
  /** Starts a session of `runner`; by default in the snapshot lens with a limit of 200 000. Its title is the name. */
  report: (name: string, facts?: FieldsOf<'session_start'>) => Reported;
  /** Opens a page of the shared server once the items of `runner` are stored. `:project` in the path is replaced. */
  visit: (path: string) => Promise<void>;
  /** Opens the fleet, narrowed to this story's project. */
  openFleet: (search?: string) => Promise<void>;
  /** Opens the page of a session of `report`. Returns the session's id. */
  show: (name: string, search?: string) => Promise<string>;
}

interface WorkerFixtures {
  server: BarographServer;
  /** A server with a fleet that no story changes. */
  fleet: { url: string; dataFolder: string; sessionId: string };
  /** A server without turns. */
  empty: { url: string };
}

export const test = base.extend<StoryFixtures, WorkerFixtures>({
  server: [
    async ({ browserName }, use, { workerIndex }) => {
      const server = await BarographServer.start(`${browserName}-${workerIndex}`, {
        BAROGRAPH_COMMANDS: 'on',
        BAROGRAPH_ALERT_PRIVATE_TARGETS: 'on',
      });
      await use(server);
      await removeFaultless(server);
    },
    { scope: 'worker' },
  ],
  fleet: [
    async ({ browserName }, use) => {
      const server = await BarographServer.start(`${browserName}-fleet`);
      const clients = playScenario(server, findScenario('demo-fleet', { minutes: 0 }), Date.now());
      const closed = await Promise.all(clients.map((client) => client.close(120_000)));
      expect(closed.every(({ delivered }) => delivered)).toBe(true);
      const over = connectRunner(server, { project: 'data-platform' });
      const session = over.session('restarted', { title: 'Restarted', lens: 'cumulative', limit: 1_000 });
      session.turn({ usage: { inputTokens: 950, outputTokens: 0 } });
      session.restart({ checkpoint: 'Goal: begin again.' });
      session.turn({ usage: { inputTokens: 300, outputTokens: 0 } });
      await over.close();
      const { id } = await readApi(server).session('demo-fleet/01');
      await use({ url: server.url, dataFolder: server.dataFolder, sessionId: id });
      await removeFaultless(server);
    },
    { scope: 'worker' },
  ],
  empty: [
    async ({ browserName }, use) => {
      const server = await BarographServer.start(`${browserName}-empty`);
      await use({ url: server.url });
      await removeFaultless(server);
    },
    { scope: 'worker' },
  ],
  ownServer: async ({ browserName, guard }, use) => {
    const server = await BarographServer.start(`${browserName}-own`);
    await use(server);
    guard.rest();
    await removeFaultless(server);
  },
  guard: [
    async ({ context }, use) => {
      const guard = new Guard();
      await guard.watch(context);
      const before = new Set(BarographServer.allLogLines());
      await use(guard);
      if (guard.problems.length === 0) return;
      const log = BarographServer.allLogLines().filter((line) => !before.has(line));
      expect(await guard.explain(), ['the pages had no problem; servers’ log:', ...log].join('\n')).toEqual(
        [],
      );
    },
    { auto: true },
  ],
  api: async ({ server }, use) => {
    await use(readApi(server));
  },
  project: async ({ browserName }, use, { testId, repeatEachIndex }) => {
    await use(`${browserName}-${testId.slice(-8)}-${repeatEachIndex}`);
  },
  home: async ({ project }, use) => {
    const folder = makeTempFolder(project);
    await use(folder);
    removeFolder(folder);
  },
  connect: async ({ project }, use) => {
    const clients: TestRunner[] = [];
    await use((server, options = {}) => {
      const client = connectRunner(server, { project, ...options });
      clients.push(client);
      return client;
    });
    await Promise.all(clients.map((client) => client.close(2_000)));
    expect(
      clients.flatMap(({ refused }) => refused),
      'nothing was refused',
    ).toEqual([]);
  },
  runner: async ({ connect, server }, use) => {
    await use(connect(server));
  },
  report: async ({ runner, project }, use) => {
    await use((name, facts = {}) => {
      const start = { title: name, lens: 'snapshot', limit: 200_000, ...facts } as const;
      const session = runner.session(`${project}/${name}`, start);
      const read = (...readings: number[]) => {
        for (const tokens of readings) session.turn(turnOf(facts.lens, tokens));
      };
      return Object.assign(session, { read });
    });
  },
  visit: async ({ page, server, runner, project }, use) => {
    await use(async (path) => {
      await runner.flush();
      await open(page, server.url + path.replaceAll(':project', encodeURIComponent(project)));
    });
  },
  openFleet: async ({ visit, project }, use) => {
    await use((search = '') => visit(fleetPath(project) + search));
  },
  show: async ({ visit, runner, api, project }, use) => {
    await use(async (name, search = '') => {
      await runner.flush();
      const { id } = await api.session(`${project}/${name}`);
      await visit(`/sessions/${id}${search}`);
      return id;
    });
  },
});

/** A turn after which the context has this many tokens. */
function turnOf(lens: string | undefined, tokens: number): TurnFields {
  if (lens === 'cumulative') return { usage: { inputTokens: tokens, outputTokens: 0 } };
  return {
    contextTokens: tokens,
    usage: { inputTokens: 10, outputTokens: 500, cacheReadTokens: Math.max(0, tokens - 510) },
  };
}

async function removeFaultless(server: BarographServer): Promise<void> {
  const faults = server.faults();
  await server.remove();
  expect(faults, 'the server logged no fault').toEqual([]);
}

export { expect };
