/** `say` for a session of Claude Code: from the server through `barograph watch` and the client's next hook, and back. */
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { sessionId } from '@/core/identity/session-id';
import { runHook } from '@/runner/src/hook/testing/hook';
import { callLine, promptLine, SESSION_ID } from '@/runner/src/transcripts/testing/write-transcript';
import { prepareWire } from './prepare-wire';

const FOLDER = '/home/dev/harbour';
const wire = prepareWire();

test('reaches the agent once, also if watch restarts in between, and is reported as done', async () => {
  const { home, command, database } = wire;
  const { sql } = database;
  const settings = join(home.folder, '.claude', 'settings.json');
  mkdirSync(dirname(settings), { recursive: true });
  writeFileSync(
    settings,
    JSON.stringify({ hooks: 'BAROGRAPH_DATA_DIR=/d node barograph warn-hook || true' }),
  );
  await runHook(command, home, { args: ['recall', 'say', 'on', FOLDER], input: '' });
  const first = await wire.watch();
  const transcript = join(dirname(home.transcript), `${SESSION_ID}.jsonl`);
  const now = () => new Date().toISOString();
  appendFileSync(transcript, promptLine('Paint the wall.', now()) + callLine('m1', 100, now()));
  const id = sessionId('', SESSION_ID, 'claude-code');
  const actions = () => sql`
    select s.commands from sessions k join session_streams x on x.session_id = k.id
    join streams s on s.id = x.stream_id where k.public_id = ${id}`;
  await expect.poll(actions).toEqual([{ commands: ['say'] }]);
  await sql`
    insert into commands (session_id, action, text, actor, expires_at)
    select id, 'say', 'Use blue.', 'ada', now() + interval '10 minutes' from sessions where public_id = ${id}`;
  const states = () => sql`select state from commands`;
  await expect.poll(states).toEqual([{ state: 'received' }]);
  first.kill('SIGKILL');

  const hook = () => {
    const fields = { hook_event_name: 'UserPromptSubmit', session_id: SESSION_ID, cwd: FOLDER };
    return runHook(command, home, { args: ['warn-hook'], input: home.payload(fields) });
  };
  expect((await hook()).stdout).toContain('Message of the operator, sent with Barograph: Use blue.');
  await wire.watch();
  appendFileSync(transcript, callLine('m2', 200, now()));
  await expect.poll(states).toEqual([{ state: 'done' }]);
  expect((await hook()).stdout).toBe('{}');
});
