/** Asking a number "why?": what answers, and a session whose numbers are known. */
import type { Locator, Page } from '@playwright/test';
import type { ReadApi } from './read-api';
import type { TestRunner } from './runner';
import { open, plain } from './screen';
import type { BarographServer } from './server';

/** What answers "why?": one on the whole page. */
export function answer(page: Page): Locator {
  return page.getByRole('dialog');
}

/** The numbers in a place of the page that answer. */
export function numbers(place: Locator): Locator {
  return place.getByRole('button', { name: /why\?$/ });
}

/** What the open answer says, numbers and instants plainly, on one line. */
export async function said(page: Page): Promise<string> {
  return plain(await answer(page).innerText()).replaceAll(/\s+/g, ' ');
}

/** A Claude Code session of even turns a minute apart, from 60 000 tokens on, and how it goes on. */
export function reportSteady(runner: TestRunner, key: string, title: string) {
  const begun = Date.now() - TURNS * MINUTE;
  const of = { session: key } as const;
  const read = (contextTokens: number, cacheCreation: number) => ({
    contextTokens,
    usage: { input: 10, output: 490, cacheCreation, cacheRead: contextTokens - 500 - cacheCreation },
  });
  runner.send({
    ...of,
    type: 'session_start',
    at: begun,
    title,
    lens: 'snapshot',
    client: 'claude-code',
    clientVersion: '2.1.90',
    model: 'claude-opus-4-5',
  });
  for (let index = 0; index < TURNS; index += 1) {
    runner.send({ ...of, type: 'turn', at: begun + index * MINUTE, ...read(60_000 + index * 4_000, 1_500) });
  }
  return {
    turn: (contextTokens: number) =>
      runner.send({ ...of, type: 'turn', at: Date.now(), ...read(contextTokens, 0) }),
    compaction: (preTokens: number, durationMs: number) =>
      runner.send({
        ...of,
        type: 'compaction',
        at: Date.now(),
        trigger: 'auto',
        state: 'confirmed',
        preTokens,
        durationMs,
      }),
  };
}

const TURNS = 12;
const MINUTE = 60_000;

/** A steady session, reported and opened. */
export async function openSteady({ page, server, runner, project, api }: Desk) {
  const key = `${project}/steady`;
  const reported = reportSteady(runner, key, `Steady ${project}`);
  await runner.flush();
  const session = await api.session(key);
  await open(page, `${server.url}/sessions/${session.id}`);
  return { ...reported, session };
}

export interface Desk {
  page: Page;
  server: BarographServer;
  runner: TestRunner;
  project: string;
  api: ReadApi;
}
