import { describe, expect, it } from 'vitest';
import { coverageOf } from './coverage';

const main = { input: 0, output: 0, cacheRead: 0, cacheCreation: 0, calls: 0 };
const facts = {
  client: 'claude-code',
  lens: 'snapshot',
  limitSource: 'turn',
  complete: true,
  compactions: 0,
  summaryCalls: 0,
  hasComposition: false,
  usageMissed: false,
  totals: { main },
} as const;
const topicOf = (sources: Parameters<typeof coverageOf>[0]['sources'], topic: string) =>
  coverageOf({ ...facts, sources }).find((one) => one.topic === topic);

describe('coverage of the sources', () => {
  it('has the compaction call only if a side call is known for each compaction', () => {
    const topic = (summaryCalls: number) =>
      coverageOf({ ...facts, sources: ['transcript'], compactions: 2, summaryCalls }).find(
        (one) => one.topic === 'compaction call',
      );
    expect(topic(0)).toMatchObject({ seen: false, note: expect.stringContaining('the totals lack them') });
    expect(topic(1)).toMatchObject({ seen: false, note: expect.stringContaining('side calls for 1 of 2') });
    expect(topic(2)).toMatchObject({ seen: true });
    expect(topicOf(['otlp'], 'compaction call')).toMatchObject({ seen: true });
    expect(topicOf(['transcript'], 'compaction call')).toMatchObject({ seen: false });
  });

  it('lacks calls that only a sum of the library includes, if another source reports calls', () => {
    const missing = (...sources: Parameters<typeof topicOf>[0]) =>
      topicOf(sources, 'calls and their tokens')?.note.includes('only the sum includes');
    expect([missing('sdk', 'transcript'), missing('sdk', 'otlp')]).toEqual([true, true]);
    expect([missing('sdk', 'hook'), missing('transcript', 'otlp')]).toEqual([false, false]);
    expect(topicOf(['sdk', 'otlp'], 'compactions')?.note).toBe('with their trigger');
  });

  it('lacks the calls of sub-agents if only the Agent SDK reports', () => {
    const seen = (...sources: Parameters<typeof topicOf>[0]) => topicOf(sources, 'sub-agents')?.seen;
    expect([seen('sdk'), seen('sdk', 'hook')]).toEqual([false, false]);
    expect([seen('sdk', 'transcript'), seen('otlp'), seen('sdk', 'otlp')]).toEqual([true, true, true]);
    const ofProgram = coverageOf({ ...facts, client: null, sources: ['sdk'] });
    expect(ofProgram.find(({ topic }) => topic === 'sub-agents')?.seen).toBe(true);
  });

  it('states that a call of the context had no usage', () => {
    const noteOf = (usageMissed: boolean) => coverageOf({ ...facts, sources: ['sdk'], usageMissed })[0]?.note;
    expect(noteOf(true)).toContain('a call of this context had no usage');
    expect(noteOf(false)).toBe('each call with input, output and cache figures');
  });

  it('includes the composition if the runner sends it, else explains how to send it', () => {
    const topic = (hasComposition: boolean) =>
      coverageOf({ ...facts, sources: ['sdk'], hasComposition }).find(
        (one) => one.topic === 'context composition',
      );
    expect(topic(true)).toMatchObject({ seen: true, note: 'tokens by role, as the runner counts them' });
    expect(topic(false)).toMatchObject({ seen: false, note: expect.stringContaining('barograph/tracker') });
  });

  it('doubts the sums of a cumulative session with more than ten times as much cache traffic', () => {
    const noteOf = (lens: 'cumulative' | 'snapshot', cacheRead: number) => {
      const totals = { main: { ...main, input: 40, output: 60, cacheRead, cacheCreation: 10 } };
      return coverageOf({ ...facts, lens, totals, sources: ['sdk'] }).find(
        ({ topic }) => topic === 'context size',
      )?.note;
    };
    expect(noteOf('cumulative', 990)).toMatch(/^summed from each turn/);
    expect(noteOf('cumulative', 991)).toMatch(/over 10 times the sums.*set the lens to snapshot/);
    expect(noteOf('snapshot', 5_000)).toBe('read after each call');
  });

  it('lacks compactions if the agent’s telemetry has no event for them', () => {
    const topic = (client: string | null, ...sources: ('otlp' | 'sdk')[]) =>
      coverageOf({ ...facts, client, sources }).find((one) => one.topic === 'compactions');
    expect(topic(null, 'otlp')).toMatchObject({ seen: false, note: expect.stringContaining('no event') });
    expect(topic(null, 'otlp', 'sdk')?.seen).toBe(true);
    expect(topic('codex', 'otlp')).toMatchObject({ seen: false, note: expect.stringContaining('no event') });
    expect(topic('gemini-cli', 'otlp')?.seen).toBe(true);
    expect(topicOf(['otlp'], 'completeness')?.note).toMatch(/an exporter does not report/);
  });

  it('is the union of all its sources', () => {
    expect(topicOf(['transcript'], 'blocked and failed compactions')?.seen).toBe(false);
    expect(topicOf(['transcript', 'hook'], 'blocked and failed compactions')?.seen).toBe(true);
  });
});
