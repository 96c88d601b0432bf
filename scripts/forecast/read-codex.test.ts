import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCodex } from './read-codex';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'barograph-forecast-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function rollout(lines: readonly string[]): Promise<string> {
  const path = join(folder, `rollout-${lines.length}-${lines.join('').length}.jsonl`);
  await writeFile(path, lines.join('\n'));
  return path;
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

describe('a Codex rollout', () => {
  it('gives a turn for each call, and none for repeated totals or the estimate after a compaction', async () => {
    const path = await rollout([
      line(0, 'session_meta', { id: 'a' }),
      count(5, 1_000, call),
      `${count(6, 1_000, call)}${line(7, 'compacted', { message: 'x' })}`,
      count(8, 1_000, { input: 0, cached: 0, output: 0, total: 12_000 }),
      count(9, 2_500, { input: 1_400, cached: 0, output: 100, total: 1_500 }),
      'no json',
    ]);
    const items = (await readCodex(path, 's')) ?? [];
    expect(items.map(({ type }) => type)).toEqual(['session_start', 'turn', 'compaction', 'turn']);
    expect(items[1]).toMatchObject({
      usage: { input: 300, output: 100, cacheRead: 600 },
      contextTokens: 1_000,
      limit: 258_400,
    });
  });

  it('leaves out what a fork repeats of its parent', async () => {
    const path = await rollout([
      line(0, 'session_meta', { id: 'b', forked_from_id: 'a' }),
      count(0, 900, call),
      count(30, 2_000, call),
    ]);
    const items = (await readCodex(path, 's')) ?? [];
    expect(items.filter(({ type }) => type === 'turn')).toHaveLength(1);
  });

  it('is none without its first line', async () => {
    expect(await readCodex(await rollout([count(5, 1_000, call)]), 's')).toBeNull();
  });
});
