import { expect, it } from 'vitest';
import { codex } from '.';

const path = '/home/dev/.codex/sessions/rollout-1.jsonl';
const id = '019c8a4c-ed82-79a1-aa28-7738fc5ab61a';
const timestamp = '2026-01-05T12:00:00.000Z';
const line = (type: string, payload: object) => JSON.stringify({ timestamp, type, payload });

it('reads the session’s own id and the folder from a first line that is longer than the head', () => {
  const first = line('session_meta', { id, cwd: '/home/dev/harbour', instructions: 'x'.repeat(100) });
  expect(codex.identify(path, first.slice(0, -50))).toMatchObject({
    session: `codex:${id}`,
    project: 'harbour',
    clientSessionId: id,
  });
});

it('identifies no file without the first line of a rollout', () => {
  expect(codex.identify(path, line('event_msg', { type: 'token_count' }))).toBeNull();
});
