import { describe, expect, it } from 'vitest';
import { evidenceOf } from './evidence-of';
import { emptySessionFold } from './fold';
import { FoldRun, START } from './fold-testing';
import { DEFAULT_THRESHOLDS } from './thresholds';

const evidence = (run: FoldRun) => evidenceOf(run.state, DEFAULT_THRESHOLDS);

/** A session of 200 000 tokens that grows by 5 000 per turn up to 150 000, with the given declarations. */
function growing(declared: { restartLine?: number } = {}, before: (run: FoldRun) => void = () => undefined) {
  const run = new FoldRun();
  run.add('session_start', { lens: 'snapshot', limit: 200_000, ...declared });
  before(run);
  for (let tokens = 5_000; tokens <= 150_000; tokens += 5_000) run.reads(tokens);
  return run;
}

describe('the evidence of a session', () => {
  it('names the owner of the restart line: project or session', () => {
    expect(evidence(growing()).restartLineBy).toBe('project');
    expect(evidence(growing({ restartLine: 0.8 })).restartLineBy).toBe('session');
  });

  it('has the start of the context, or null before the first turn', () => {
    expect(evidenceOf(emptySessionFold(), DEFAULT_THRESHOLDS).context.startedAt).toBeNull();
    expect(evidence(growing()).context.startedAt).toMatch(/^2026-01-05T12:/);
  });

  it('lists past compaction points', () => {
    const run = new FoldRun();
    run.add('session_start', { lens: 'snapshot', limit: 200_000, client: 'claude-code' });
    for (const [boundary, preTokens] of [
      ['a', 167_000],
      ['b', 168_000],
    ] as const) {
      run.reads(160_000);
      run.add('compaction', { trigger: 'auto', state: 'confirmed', boundary, preTokens });
    }
    expect(evidence(run).compaction).toMatchObject({ seen: [167_000, 168_000] });
    expect(evidence(growing()).compaction).toBeNull();
  });

  it('counts down to the restart line of a session that restarts, else to the limit', () => {
    expect(evidence(growing()).countdown).toMatchObject({ kind: 'limit', at: 200_000, left: 50_000 });
    const restarted = growing({}, (begun) => begun.add('restart', {}));
    expect(evidence(restarted).countdown).toMatchObject({ kind: 'restart', at: 180_000, left: 30_000 });
    expect(evidence(growing({ restartLine: 0.8 })).countdown).toMatchObject({ at: 160_000, left: 10_000 });
  });

  it('has the time of the limit, and the reading that proved a learned limit', () => {
    const time = (minutes: number) => new Date(START + minutes * 60_000).toISOString();
    expect(evidenceOf(emptySessionFold(), DEFAULT_THRESHOLDS).limit).toMatchObject({ at: null, proof: null });
    const run = new FoldRun();
    run.add('session_start', { lens: 'snapshot', model: 'claude-sonnet-4-5' });
    run.reads(150_000);
    expect(evidence(run).limit).toMatchObject({ source: 'table', at: time(1), proof: null });
    run.reads(260_000);
    const learned = { source: 'learned', at: time(3), proof: { tokens: 260_000, at: time(3) } };
    expect(evidence(run).limit).toMatchObject(learned);
    run.reads(260_000, { limit: 300_000 });
    expect(evidence(run).limit).toMatchObject({ source: 'turn', proof: null });
    const unnamed = new FoldRun();
    unnamed.reads(230_000);
    expect(evidence(unnamed).limit).toMatchObject({ source: 'learned', proof: { tokens: 230_000 } });
  });
});
