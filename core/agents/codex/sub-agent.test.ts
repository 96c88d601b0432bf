import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { codex } from '.';

const folder = new URL('./fixtures/forks/sessions/2026/03/01/', import.meta.url);
const read = (name: string) => readFileSync(new URL(name, folder), 'utf8').trimEnd().split('\n');
const AGENT = 'rollout-2026-03-01T10-20-00-019c8a4e-0000-7000-8000-00000000000c.jsonl';
const FORK = 'rollout-2026-03-01T10-10-00-019c8a4d-0000-7000-8000-00000000000b.jsonl';

function endsOf(name: string, type: string) {
  const [head = '', ...rest] = read(name);
  const path = `/home/dev/.codex/sessions/${name}`;
  const identity = codex.identify(path, head);
  if (identity === null) throw new Error('no rollout');
  const owners = { claim: (_: string, session: string) => session };
  const options = { identity, content: true, owners, announces: true, fallbackAt: 0, isFree: () => true };
  const parser = codex.createParser(options);
  const end = (timestamp: string, turn_id: string) =>
    JSON.stringify({ timestamp, type: 'event_msg', payload: { type, turn_id } });
  const copied = end('2026-03-01T10:20:00.003Z', '019c8a4c-0100-7000-8000-0000000000a1');
  const own = end('2026-03-01T10:20:00.900Z', '019c8a4e-0100-7000-8000-0000000000c3');
  const items = [head, copied, ...rest, own].flatMap((line) => parser.line(line));
  return items.filter((item) => item.type === 'session_end');
}

it.each(['task_complete', 'turn_aborted'])(
  'a sub-agent ends with its own %s, and not with the %s of its parent',
  (type) => {
    const session = 'codex:019c8a4e-0000-7000-8000-00000000000c';
    const at = Date.parse('2026-03-01T10:20:00.900Z');
    expect(endsOf(AGENT, type)).toEqual([{ type: 'session_end', session, at, reason: 'finished' }]);
    expect(endsOf(FORK, type)).toEqual([]);
  },
);
