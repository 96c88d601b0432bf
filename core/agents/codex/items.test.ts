import { describe, expect, it } from 'vitest';
import { codex } from '.';
import { createParser } from './items';

const identity = { session: 's', chain: null, folder: null, project: 'harbour', clientSessionId: null };

function read(lines: readonly string[]) {
  const parser = createParser({ identity, fallbackAt: 0 });
  return lines.flatMap(parser.line);
}

function line(second: number, type: string, payload: Record<string, unknown>): string {
  const timestamp = new Date(Date.UTC(2026, 0, 5, 12, 0, second)).toISOString();
  return JSON.stringify({ timestamp, type, payload });
}

function count(
  second: number,
  total: number,
  last: { input: number; cached: number; output: number; total: number },
) {
  const usage = (input: number, cached: number, output: number, sum: number) => ({
    input_tokens: input,
    cached_input_tokens: cached,
    output_tokens: output,
    total_tokens: sum,
  });
  return line(second, 'event_msg', {
    type: 'token_count',
    info: {
      total_token_usage: usage(total, 0, 0, total),
      last_token_usage: usage(last.input, last.cached, last.output, last.total),
      model_context_window: 258_400,
    },
  });
}

const call = { input: 900, cached: 600, output: 100, total: 1_000 };

describe('Codex rollout items', () => {
  it('has one turn per call, without repeated totals and the estimate after a compaction', () => {
    const items = read([
      line(0, 'session_meta', { id: 'a' }),
      count(5, 1_000, call),
      `${count(6, 1_000, call)}${line(7, 'compacted', { message: 'x' })}`,
      count(8, 1_000, { input: 0, cached: 0, output: 0, total: 12_000 }),
      count(9, 2_500, { input: 1_400, cached: 0, output: 100, total: 1_500 }),
      'no json',
    ]);
    expect(items.map(({ type }) => type)).toEqual(['session_start', 'turn', 'compaction', 'turn']);
    expect(items[1]).toMatchObject({
      usage: { input: 300, output: 100, cacheRead: 600 },
      contextTokens: 1_000,
      limit: 258_400,
    });
  });

  it('leaves out the history that a fork repeats', () => {
    const items = read([
      line(0, 'session_meta', { id: 'b', forked_from_id: 'a' }),
      count(0, 900, call),
      count(30, 2_000, call),
    ]);
    expect(items.filter(({ type }) => type === 'turn')).toHaveLength(1);
  });

  it('prefers usage of single responses to totals', () => {
    const usage = { input_tokens: 900, output_tokens: 100, total_tokens: 1_000 };
    const items = read([line(1, 'token_usage_record', { response_id: 'r1', usage }), count(1, 1_000, call)]);
    expect(items.slice(1)).toMatchObject([{ type: 'turn', call: 'r1', contextTokens: 1_000 }]);
  });
});

describe('Codex rollout identity', () => {
  const path = '/home/dev/.codex/sessions/rollout-1.jsonl';
  const id = '019c8a4c-ed82-79a1-aa28-7738fc5ab61a';

  it('reads session and folder from a first line that is longer than the head', () => {
    const first = line(0, 'session_meta', { id, cwd: '/home/dev/harbour', instructions: 'x'.repeat(100) });
    expect(codex.identify(path, first.slice(0, -50))).toMatchObject({
      session: 'codex:rollout-1',
      project: 'harbour',
      clientSessionId: id,
    });
  });

  it('is null without the first line', () => {
    expect(codex.identify(path, count(5, 1_000, call))).toBeNull();
  });
});
