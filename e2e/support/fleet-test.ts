/** The `test` of stories that only read: one server with a fleet, and an empty one. */
import { findScenario } from '@/core/scenario/find-scenario';
import { readApi } from './read-api';
import { connectRunner, playScenario } from './runner';
import { BarographServer } from './server';
import { test as base, expect } from './test';

/** Every page of the navigation. */
export const PAGES = ['/', '/events', '/history', '/transcripts', '/connect', '/settings'] as const;

interface Look {
  /** A server with a fleet; stories do not change it. */
  fleet: { url: string; sessionId: string };
  /** A server without turns. */
  empty: { url: string };
}

export const test = base.extend<object, Look>({
  fleet: [
    async ({ browserName }, use) => {
      const server = await BarographServer.start(`${browserName}-fleet`);
      const { clients } = playScenario(server, findScenario('demo-fleet', { minutes: 0 }), Date.now());
      await Promise.all(clients.map((client) => client.close(20_000)));
      const over = connectRunner(server, { project: 'data-platform' });
      const session = over.session('restarted', { title: 'Restarted', lens: 'cumulative', limit: 1_000 });
      session.turn({ usage: { input: 950, output: 0 } });
      session.restart({ checkpoint: 'Goal: begin again.' });
      session.turn({ usage: { input: 300, output: 0 } });
      await over.close();
      const { id } = await readApi(server).session('demo-fleet/01');
      await use({ url: server.url, sessionId: id });
      await server.remove();
    },
    { scope: 'worker' },
  ],
  empty: [
    async ({ browserName }, use) => {
      const server = await BarographServer.start(`${browserName}-empty`);
      await use({ url: server.url });
      await server.remove();
    },
    { scope: 'worker' },
  ],
});

export { expect };
