/** Commands of operators, from the API through a real server to the README's agent, and their results back. */
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { PATIENCE_MS } from '@/core/testing/patience';
import { createClient, type RunnerCommand } from '@/runner/src/index';
import { preparePlace } from './server-process';
import type { ServerProcess } from './start-server-process';

const place = preparePlace();
let server: ServerProcess;
let key: string;

beforeEach(async () => {
  server = await place.serve();
  key = `ledger-${randomUUID()}`;
});

const connect = (commands: RunnerCommand['action'][] = ['restart', 'say'], project = 'night-shift') =>
  createClient({
    ...{ url: server.url, token: place.token, project, runner: { name: 'agent' } },
    ...{ queueFolder: place.folder, commands },
  });

/** Stores a command, as the API does. */
async function send(action: RunnerCommand['action']): Promise<string> {
  const [row] = await place.database.sql<{ id: string }[]>`
    insert into commands (session_id, action, text, actor, expires_at)
    select id, ${action}, ${action === 'say' ? 'Hello.' : null}, 'ada', now() + interval '10 minutes'
    from sessions where key = ${key} returning id`;
  if (row === undefined) throw new Error(`no session ${key}`);
  return row.id;
}
async function statesOf() {
  const rows = await place.database.sql`
    select c.action, c.state, c.refusal from commands c join sessions s on s.id = c.session_id where s.key = ${key}`;
  return rows.map(({ action, state, refusal }) => [action, state, refusal]);
}

describe('a command', () => {
  test('reaches the runner, which reports the result, and both are events', async () => {
    const client = connect();
    const session = client.session(key, { title: 'A run' });
    const taken: RunnerCommand[] = [];
    session.onCommand((command) => {
      taken.push(command);
      session.command({ command: command.id, action: command.action, state: 'done' });
    });
    await client.flush(PATIENCE_MS);
    await send('say');
    await expect.poll(statesOf).toEqual([['say', 'done', null]]);
    expect(taken).toMatchObject([{ action: 'say', text: 'Hello.' }]);
    const events = await place.database.sql`
      select e.detail from events e join sessions s on s.id = e.session_id
      where s.key = ${key} and e.kind = 'command'`;
    expect(events).toMatchObject([{ detail: { action: 'say', state: 'done', reason: null } }]);
    await client.close(PATIENCE_MS);
  });

  test('is sent again after a kill of the server, and is carried out once', async () => {
    const client = connect();
    const session = client.session(key);
    session.start();
    let calls = 0;
    session.onCommand(() => {
      calls += 1;
    });
    await client.flush(PATIENCE_MS);
    await send('restart');
    await expect.poll(() => calls).toBe(1);
    await expect.poll(statesOf).toEqual([['restart', 'received', null]]);
    await server.kill();
    server = await place.serve(server.port);
    await expect.poll(() => client.stats().state.status).toBe('connected');
    session.turn({ usage: { input: 1, output: 1 } });
    await client.flush(PATIENCE_MS);
    expect(calls).toBe(1);
    await client.close(PATIENCE_MS);
  });

  test('waits for a runner that is away, and reaches its next process', async () => {
    const first = connect();
    first.session(key).start();
    await first.flush(PATIENCE_MS);
    await first.close(PATIENCE_MS);
    await send('restart');
    const second = connect();
    const session = second.session(key);
    const taken: string[] = [];
    session.onCommand(({ action }) => void taken.push(action));
    session.turn({ usage: { input: 1, output: 1 } });
    await expect.poll(() => taken).toEqual(['restart']);
    await second.close(PATIENCE_MS);
  });

  test('is refused if no run of the session takes commands', async () => {
    const client = connect();
    client.session(key).start();
    await client.flush(PATIENCE_MS);
    await send('restart');
    await expect
      .poll(statesOf)
      .toEqual([['restart', 'refused', 'no active run of this session accepts commands']]);
    await client.close(PATIENCE_MS);
  });

  test('is sent only for actions that the runner declares, and never changes another session', async () => {
    const client = connect(['restart']);
    client.session(key).start();
    const other = client.session(`${key}-other`);
    other.start();
    await client.flush(PATIENCE_MS);
    await send('say');
    const command = await send('restart');
    other.command({ command, action: 'restart', state: 'done' });
    await client.flush(PATIENCE_MS);
    await expect.poll(async () => (await statesOf()).map(([, state]) => state)).toEqual(['sent', 'refused']);
    await client.close(PATIENCE_MS);
  });
});
