import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { judge, judgeByLevel, judgeByOthers, judgeContext } from './judge';
import { type ReplayedContext, replaySession } from './replay-session';
import { fromNumbers, sessionNumbers } from './sessions';

const FILE = fileURLToPath(new URL('../../core/forecast/fixtures/traces.generated.json', import.meta.url));

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
  it('is made of seven contexts, of two clients', () => {
    expect(compacted).toHaveLength(7);
  });

  it('errs by at most 35 % in the median at half-way, less than a mean slope and than the last 20 turns', () => {
    const verdict = judge(compacted.flatMap((context) => judgeContext(context, 0.5) ?? []));
    expect(verdict).toMatchObject({ cases: 7, silent: 0 });
    expect(verdict.error).toBeLessThanOrEqual(0.35);
    expect(verdict.error).toBeLessThan(verdict.meanSlopeError);
    expect(verdict.error).toBeLessThan(verdict.lastTurnsError);
  });

  it('names a range at half-way that holds in 70 to 90 % of the cases', () => {
    const { coverage } = judge(compacted.flatMap((context) => judgeContext(context, 0.5) ?? []));
    expect(coverage).toBeGreaterThanOrEqual(0.7);
    expect(coverage).toBeLessThanOrEqual(0.9);
  });

  it('errs no more where the typical growth was taken from the other sessions alone', () => {
    const cases = judgeByOthers(compacted, contexts, 0.5);
    expect(cases).toHaveLength(7);
    const verdict = judge(cases);
    expect(verdict.error).toBeLessThanOrEqual(0.35);
    expect(verdict.coverage).toBeGreaterThanOrEqual(0.7);
  });

  it('is better than both plain ways at a quarter and at three quarters too', () => {
    for (const share of [0.25, 0.75]) {
      const verdict = judge(compacted.flatMap((context) => judgeContext(context, share) ?? []));
      expect(verdict.error).toBeLessThan(verdict.meanSlopeError);
      expect(verdict.error).toBeLessThan(verdict.lastTurnsError);
      expect(verdict.coverage).toBeGreaterThanOrEqual(0.7);
    }
  });
});

describe('the forecast of every long context, towards the highest level it reached', () => {
  it('errs by at most 35 % in the median at half-way, and its range holds in at least 70 %', () => {
    const cases = judgeByLevel(contexts, 0.5);
    expect(cases.length).toBeGreaterThanOrEqual(15);
    const verdict = judge(cases);
    expect(verdict.error).toBeLessThanOrEqual(0.35);
    expect(verdict.error).toBeLessThan(verdict.meanSlopeError);
    expect(verdict.coverage).toBeGreaterThanOrEqual(0.7);
  });
});
