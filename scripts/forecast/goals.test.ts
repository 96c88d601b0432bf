import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { TranscriptItem } from '../../core/agents/agent-format';
import { judge, judgeByLevel, judgeByOthers, judgeContext } from './judge';
import { type ReplayedContext, replaySession } from './replay-session';

const FILE = fileURLToPath(new URL('../../core/forecast/fixtures/traces.generated.json', import.meta.url));

/** Seconds since the turn before, and the context's size after it, tokens. */
const turn = z.tuple([z.number(), z.number()]);

const sessionNumbers = z.object({
  client: z.string(),
  clientVersion: z.string().nullable(),
  /** The limit stated with each call; null: the model's. */
  limit: z.number().nullable(),
  model: z.string().nullable(),
  contexts: z.array(
    z.object({
      turns: z.array(turn),
      end: z.object({ trigger: z.enum(['auto', 'manual']), preTokens: z.number().nullable() }).nullable(),
    }),
  ),
});

/** Items that fold to the same contexts, from an arbitrary start time. */
function fromNumbers(numbers: z.infer<typeof sessionNumbers>, session: string): TranscriptItem[] {
  let at = Date.UTC(2026, 0, 5);
  const { client, clientVersion, limit, model } = numbers;
  const version = clientVersion === null ? {} : { clientVersion };
  const stated = { ...(model === null ? {} : { model }), ...(limit === null ? {} : { limit }) };
  const items: TranscriptItem[] = [
    { type: 'session_start', session, at, lens: 'snapshot', client, ...version },
  ];
  numbers.contexts.forEach(({ turns, end }, index) => {
    for (const [seconds, contextTokens] of turns) {
      at += seconds * 1000;
      items.push({ type: 'turn', session, at, usage: { input: 1, output: 1 }, contextTokens, ...stated });
    }
    if (end === null) return;
    const { trigger, preTokens } = end;
    const ending = { trigger, boundary: `${session}#${index}`, ...(preTokens === null ? {} : { preTokens }) };
    items.push({ type: 'compaction', session, at, state: 'confirmed', ...ending });
  });
  return items;
}

let contexts: ReplayedContext[];
let compacted: ReplayedContext[];

beforeAll(async () => {
  const traces = z.array(sessionNumbers).parse(JSON.parse(await readFile(FILE, 'utf8')));
  contexts = traces.flatMap((numbers, index) => {
    const name = `trace-${index}`;
    return replaySession(name, fromNumbers(numbers, name));
  });
  compacted = contexts.filter(({ endedBy }) => endedBy === 'compaction');
});

describe('the forecast of real contexts that ended in a compaction', () => {
  it('covers seven contexts', () => {
    expect(compacted).toHaveLength(7);
  });

  it('has a median error at half-way of at most 35 %, below the error of a mean slope', () => {
    const verdict = judge(compacted.flatMap((context) => judgeContext(context, 0.5) ?? []));
    expect(verdict).toMatchObject({ cases: 7, silent: 0 });
    expect(verdict.error).toBeLessThanOrEqual(0.35);
    expect(verdict.error).toBeLessThan(verdict.meanSlopeError);
  });

  it('gives a range at half-way that is right in 70 to 90 % of the cases', () => {
    const { coverage } = judge(compacted.flatMap((context) => judgeContext(context, 0.5) ?? []));
    expect(coverage).toBeGreaterThanOrEqual(0.7);
    expect(coverage).toBeLessThanOrEqual(0.9);
  });

  it('has a median error of at most 35 % with the typical growth of the other sessions', () => {
    const cases = judgeByOthers(compacted, contexts, 0.5);
    expect(cases).toHaveLength(7);
    const verdict = judge(cases);
    expect(verdict.error).toBeLessThanOrEqual(0.35);
    expect(verdict.coverage).toBeGreaterThanOrEqual(0.7);
  });

  it('has a smaller error than a mean slope at a quarter and at three quarters too', () => {
    for (const share of [0.25, 0.75]) {
      const verdict = judge(compacted.flatMap((context) => judgeContext(context, share) ?? []));
      expect(verdict.error).toBeLessThan(verdict.meanSlopeError);
      expect(verdict.coverage).toBeGreaterThanOrEqual(0.7);
    }
  });
});

describe('the forecast of every long context, towards the highest level it reached', () => {
  it('has a median error of at most 35 % at half-way, and a range that is right in at least 70 %', () => {
    const cases = judgeByLevel(contexts, 0.5);
    expect(cases.length).toBeGreaterThanOrEqual(15);
    const verdict = judge(cases);
    expect(verdict.error).toBeLessThanOrEqual(0.35);
    expect(verdict.error).toBeLessThan(verdict.meanSlopeError);
    expect(verdict.coverage).toBeGreaterThanOrEqual(0.7);
  });
});
