/** The fleet page of ten thousand active sessions in a real browser, with the built server and reporting runners. */

import { median } from '../../core/forecast/median';
import { launchBrowser } from '../../scripts/browser/find-browser';
import type { BenchDatabase } from '../lib/bench-database';
import { type Figure, quantile } from '../lib/figures';
import { keepBehind } from '../lib/keep-behind';
import { ask, startPlayers, targetOf, withServer } from '../lib/processes';
import { type PageLook, type PageView, viewPage, watchPage, watchSession } from './watch-page';

const RUNNERS = 20;
const TURNS_BEFORE = 12;
/** Per round. */
const VIEWS = 3;

interface FleetPageScale {
  sessions: number;
  turnsPerSecond: number;
  rounds: number;
}

export async function measureFleetPage(
  database: BenchDatabase,
  { sessions, turnsPerSecond, rounds }: FleetPageScale,
): Promise<Figure[]> {
  const players = startPlayers();
  const browser = await launchBrowser();
  try {
    return await withServer(database, 'all', async (server) => {
      const { url, pid } = server;
      const fleet = { sessions, runners: RUNNERS, turnsBefore: TURNS_BEFORE, turnsPerSecond };
      await ask(players, { type: 'fleet', ...targetOf(server), ...fleet });
      // The first view warms up the server and does not count.
      await viewPage(browser, url, sessions);
      const views: PageView[] = [];
      while (views.length < VIEWS * rounds) views.push(await viewPage(browser, url, sessions));
      const release = keepBehind([pid, players.pid, database.pid]);
      const looks: PageLook[] = [];
      while (looks.length < rounds) looks.push(await watchPage(browser, url, sessions));
      const sessionEvents: number[] = [];
      for (let round = 0; round < rounds; round += 1)
        sessionEvents.push(...(await watchSession(browser, url)));
      release();
      const { turns, elapsedMs } = await ask(players, { type: 'stop' });
      return [
        ...figuresOf(views, looks),
        {
          name: 'Session page, 95th percentile to paint',
          value: quantile(sessionEvents, 0.95),
          unit: 'ms',
          most: 100,
        },
        { name: `Turns sent for ${sessions} sessions`, value: (turns / elapsedMs) * 1_000, unit: 'turns/s' },
      ];
    });
  } finally {
    await browser.close();
    players.kill();
  }
}

function figuresOf(views: readonly PageView[], looks: readonly PageLook[]): Figure[] {
  const unit = 'ms';
  const parts = { loading: 'while loading', watching: 'while idle', acting: 'in use' } as const;
  const tasks = Object.entries(parts).map(([part, name]): Figure => {
    const value = Math.max(0, ...looks.flatMap((look) => look[part as keyof typeof parts]));
    return { name: `Fleet page, longest task ${name}`, value, unit, most: 100 };
  });
  const events = looks.flatMap((look) => look.events);
  return [
    ...tasks,
    { name: 'Fleet page, 95th percentile to paint', value: quantile(events, 0.95), unit, most: 100 },
    { name: `Longest of ${events.length} actions`, value: Math.max(...events), unit },
    {
      name: 'Fleet page, first view',
      value: median(views.map(({ firstViewMs }) => firstViewMs)),
      unit,
      most: 1_000,
    },
    { name: 'All sessions loaded', value: median(views.map(({ completeMs }) => completeMs)), unit },
  ];
}
