import { expect } from '@playwright/test';
import type { BarographServer } from './server';

/** Changes a project's settings by the API, as another operator. */
export async function changeSettings(
  server: BarographServer,
  project: string,
  change: object,
): Promise<void> {
  const path = `${server.url}/api/v1/projects/${encodeURIComponent(project)}/settings`;
  const own = { origin: server.url, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };
  const read = await fetch(path, { headers: { authorization: `Bearer ${server.connection.readToken}` } });
  const { version } = (await read.json()) as { version: string };
  const body = JSON.stringify({ version, ...change });
  const answer = await fetch(path, { method: 'PATCH', headers: own, body });
  expect(answer.status, await answer.text()).toBe(200);
}
