/**
 * What a forecast needs of a Codex rollout: calls with their readings, and compactions. Read for judging
 * forecasts alone; nothing of it is sent anywhere.
 */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { TranscriptItem } from '../../runner/src/adapters/format';
import { splitValues } from '../../runner/src/adapters/split-values';

const line = z.object({
  timestamp: z.string(),
  type: z.string(),
  payload: z.record(z.string(), z.unknown()),
});
const usage = z.object({
  input_tokens: z.number(),
  cached_input_tokens: z.number().default(0),
  output_tokens: z.number(),
  total_tokens: z.number(),
});
const tokenCount = z.object({
  total_token_usage: usage,
  last_token_usage: usage,
  model_context_window: z.number().nullish(),
});

/** A fork repeats its parent's history within this time of its first line. */
const REPLAY_MS = 1_000;

/** Items of the rollout in file order; null where the first line shows that it is none. */
export async function readCodex(path: string, session: string): Promise<TranscriptItem[] | null> {
  const text = await readFile(path, 'utf8');
  const items: TranscriptItem[] = [];
  let firstAt: number | null = null;
  let isFork = false;
  let totalBefore: string | null = null;
  let compactions = 0;
  for (const raw of text.split('\n')) {
    for (const value of splitValues(raw).values) {
      const parsed = line.safeParse(value);
      if (!parsed.success) continue;
      const { type, payload } = parsed.data;
      const at = Date.parse(parsed.data.timestamp);
      if (firstAt === null) {
        if (type !== 'session_meta') return null;
        firstAt = at;
        isFork = typeof payload.forked_from_id === 'string';
        items.push({ type: 'session_start', session, at, lens: 'snapshot', client: 'codex', backfill: true });
      }
      if (isFork && at - firstAt <= REPLAY_MS) continue;
      if (type === 'compacted') {
        compactions += 1;
        const boundary = `${session}#${compactions}`;
        items.push({ type: 'compaction', session, at, trigger: 'auto', state: 'confirmed', boundary });
        continue;
      }
      if (type !== 'event_msg' || payload.type !== 'token_count') continue;
      const info = tokenCount.safeParse(payload.info);
      if (!info.success) continue;
      // The same totals again are no new call, and neither is the estimate after a compaction.
      const total = JSON.stringify(info.data.total_token_usage);
      if (total === totalBefore) continue;
      totalBefore = total;
      items.push(toTurn(session, at, info.data));
    }
  }
  return firstAt === null ? null : items;
}

function toTurn(session: string, at: number, info: z.infer<typeof tokenCount>): TranscriptItem {
  const { last_token_usage: last, model_context_window: window } = info;
  return {
    type: 'turn',
    session,
    at,
    usage: {
      input: Math.max(0, last.input_tokens - last.cached_input_tokens),
      output: last.output_tokens,
      cacheRead: last.cached_input_tokens,
    },
    contextTokens: last.total_tokens,
    basis: 'total',
    ...(typeof window === 'number' ? { limit: window } : {}),
  };
}
