/**
 * The `test` of all stories. The stories of a worker share `server` and use separate projects; `ownServer` is empty,
 * belongs to one story, and may be stopped and killed.
 */
import { test as base, expect } from '@playwright/test';
import { Guard } from './guard';
import { type ReadApi, readApi } from './read-api';
import { connectRunner, type RunnerOptions, type TestRunner } from './runner';
import { open } from './screen';
import { BarographServer } from './server';
import { makeTempFolder, removeFolder } from './temp-folder';

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
  /** Connects further runners; all are closed at the story's end. */
  connect: (server: BarographServer, options?: Partial<RunnerOptions>) => TestRunner;
  /** Opens the page of a session that `runner` reports, once its items are stored; returns the session's id. */
  show: (key: string, search?: string) => Promise<string>;
}

interface WorkerFixtures {
  server: BarographServer;
}

export const test = base.extend<StoryFixtures, WorkerFixtures>({
  server: [
    async ({ browserName }, use, { workerIndex }) => {
      const server = await BarographServer.start(`${browserName}-${workerIndex}`);
      await use(server);
      const faults = server.faults();
      await server.remove();
      expect(faults, 'the server logged no fault').toEqual([]);
    },
    { scope: 'worker' },
  ],
  ownServer: async ({ browserName, guard }, use) => {
    const server = await BarographServer.start(`${browserName}-own`);
    await use(server);
    guard.rest();
    const faults = server.faults();
    await server.remove();
    expect(faults, 'the server logged no fault').toEqual([]);
  },
  guard: [
    async ({ context }, use) => {
      const guard = new Guard();
      await guard.watch(context);
      await use(guard);
      expect(guard.problems, 'the pages had no problem').toEqual([]);
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
  show: async ({ page, server, api, runner }, use) => {
    await use(async (key, search = '') => {
      await runner.flush();
      const { id } = await api.session(key);
      await open(page, `${server.url}/sessions/${id}${search}`);
      return id;
    });
  },
});

export { expect };
