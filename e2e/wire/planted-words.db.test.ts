/** With content off, no word of a conversation leaves the runner. With content on, no log contains one, or a token. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { claudeLines } from '@/core/scenario/claude-lines';
import { PATIENCE_MS } from '@/core/testing/patience';
import { findPlanted } from '@/db/testing/find-planted';
import { refusePoison } from '@/db/testing/refuse-poison';
import { createClient } from '@/runner/src/index';
import { projectFolder } from '@/scripts/lib/project-folder';
import { preparePlace } from './server-process';
import { makeToken, startServerProcess } from './start-server-process';

const place = preparePlace();
const WORD = 'plantedword';

async function watch(url: string): Promise<string[]> {
  const reader = await makeToken(place.database.sql, ['read']);
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/live`, {
    headers: { authorization: `Bearer ${reader}` },
  });
  const frames: string[] = [];
  socket.on('message', (data) => frames.push(String(data)));
  await once(socket, 'open');
  for (const topic of ['fleet', 'events', 'turns', 'alerts'])
    socket.send(JSON.stringify({ type: 'subscribe', topic }));
  return frames;
}

test('sends no word of a conversation with content off: not to tables, the log or the live feed', async () => {
  const server = await startServerProcess(place.database.url, undefined, true);
  const frames = await watch(server.url);
  const client = createClient({
    url: server.url,
    token: place.token,
    project: 'quiet',
    runner: { name: 'r' },
    queueFolder: join(place.folder, 'q'),
    content: false,
  });
  const session = client.session('one', { title: `${WORD} title` });
  session.turn({ usage: { inputTokens: 5, outputTokens: 5 } });
  session.restart({ continuation: 1, checkpoint: `${WORD} checkpoint`, prompt: `${WORD} prompt` });
  expect((await client.flush(PATIENCE_MS)).delivered).toBe(true);
  await client.close();

  const lines = claudeLines({ cwd: '/srv/app', model: 'claude-opus-4-5' });
  const folder = join(place.folder, 'projects', '-srv-app');
  mkdirSync(folder, { recursive: true });
  const texts = [
    lines.user(`${WORD} question`),
    lines.assistant('msg_1', { type: 'text', text: `${WORD} answer` }),
    lines.user(`${WORD} again`),
    lines.assistant('msg_2', { type: 'text', text: `${WORD} answer` }),
  ];
  writeFileSync(join(folder, `${crypto.randomUUID()}.jsonl`), `${texts.join('\n')}\n`);
  const child = spawn(
    process.execPath,
    ['--import', import.meta.resolve('tsx'), join(projectFolder, 'runner/src/cli/main.ts'), 'import', folder],
    {
      env: {
        NODE_ENV: 'test',
        PATH: process.env.PATH ?? '',
        HOME: place.folder,
        BAROGRAPH_URL: server.url,
        BAROGRAPH_TOKEN: place.token,
        BAROGRAPH_DATA_DIR: join(place.folder, 'data'),
        BAROGRAPH_CONTENT: 'off',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  expect(await once(child, 'exit')).toEqual([0, null]);

  await expect.poll(() => frames.join('').includes('quiet')).toBe(true);
  const [row] = await place.database.sql`select count(*)::int as turns from turns`;
  expect(row?.turns).toBe(3);
  expect(await findPlanted(place.database.sql, WORD)).toEqual([]);
  expect(frames.join('').toLowerCase()).not.toContain(WORD);
  expect(server.log()).not.toContain(WORD);
  await server.kill();
});

test('keeps tokens, titles and texts out of the server’s log, whatever a request contains', async () => {
  await refusePoison(place.database.sql);
  const server = await startServerProcess(place.database.url, undefined, true, {
    BAROGRAPH_LOG_LEVEL: 'debug',
  });
  const headers = { authorization: `Bearer ${place.token}`, 'content-type': 'application/json' };
  const hello = {
    type: 'hello',
    v: 1,
    project: 'p',
    runner: { name: 'r' },
    stream: crypto.randomUUID(),
  };
  const item = (seq: number, fields: object) => ({ seq, session: 's', at: Date.now(), ...fields });
  const bodies = [
    JSON.stringify([
      hello,
      item(1, { type: 'session_start', title: WORD }),
      item(2, { type: 'restart', continuation: 1, reason: 'poison', checkpoint: WORD, prompt: WORD }),
      item(3, { type: 'turn', usage: { input: 666 }, model: WORD }),
      item(4, { type: WORD, title: WORD }),
    ]),
    `{"${WORD}": `,
    JSON.stringify([{ ...hello, v: WORD }]),
  ];
  for (const body of bodies) await fetch(`${server.url}/v1/ingest`, { method: 'POST', headers, body });
  for (const path of [
    `/v1/ingest?token=${place.token}`,
    `/api/v1/sessions?q=${WORD}`,
    `/api/v1/sessions/${WORD}`,
    `/api/v1/transcripts?q=${WORD}&token=${place.token}`,
    `/v1/archives/${WORD}`,
    `/%00${WORD}`,
  ])
    await fetch(server.url + path, { headers });
  expect(server.log()).toContain('could not be stored');
  expect(server.log()).not.toContain(WORD);
  expect(server.log()).not.toContain(place.token.slice(3));
  await server.kill();
});
