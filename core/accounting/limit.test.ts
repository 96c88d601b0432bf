import { describe, expect, it } from 'vitest';
import { FoldRun, snapshotRun } from './fold-testing';
import { MODEL_WINDOWS } from './model-table';
import { DEFAULT_THRESHOLDS } from './thresholds';

const limitOf = (step: ReturnType<FoldRun['turn']>) => [step.turn?.limit, step.turn?.limitSource];

describe('the effective limit of a turn', () => {
  it('is the turn’s own limit if it states one', () => {
    const run = snapshotRun(150_000);
    run.add('reading', { contextTokens: 1, limit: 160_000, model: 'claude-opus-4-5' });
    expect(limitOf(run.reads(10, { limit: 170_000 }))).toEqual([170_000, 'turn']);
  });

  it('falls back to the last limit stated for that model on that chain', () => {
    const run = snapshotRun(150_000);
    run.reads(10, { model: 'a', limit: 170_000 });
    expect(limitOf(run.reads(11, { model: 'a' }))).toEqual([170_000, 'client']);
    expect(limitOf(run.reads(12, { model: 'b' }))).toEqual([150_000, 'session']);
    expect(limitOf(run.reads(13, { model: 'a', chain: 'agent-1' }))).toEqual([150_000, 'session']);
    expect(limitOf(run.reads(14, { model: 'a' }))).toEqual([170_000, 'client']);
  });

  it('belongs to the first model if it was stated before any model was named', () => {
    const run = snapshotRun();
    run.add('reading', { contextTokens: 5, limit: 90_000 });
    expect(limitOf(run.reads(10, { model: 'a' }))).toEqual([90_000, 'client']);
    expect(limitOf(run.reads(10, { model: 'b' }))).toEqual([200_000, 'assumed']);
  });

  it('falls back to the session’s limit', () => {
    expect(limitOf(snapshotRun(150_000).reads(10, { model: 'claude-opus-4-5' }))).toEqual([
      150_000,
      'session',
    ]);
  });

  it('falls back to the project’s setting for the model, by its name with or without provider and date', () => {
    const windows = { 'gpt-5': 300_000, 'made-up': 128_000, 'us.anthropic.claude-opus-5': 90_000 };
    const run = new FoldRun({ thresholds: { ...DEFAULT_THRESHOLDS }, windows });
    run.add('session_start', { lens: 'snapshot' });
    expect(limitOf(run.reads(10))).toEqual([null, 'none']);
    expect(limitOf(run.reads(10, { model: 'made-up' }))).toEqual([128_000, 'setting']);
    expect(limitOf(run.reads(200_000, { model: 'made-up' }))).toEqual([128_000, 'setting']);
    expect(limitOf(run.reads(10, { model: 'openai/gpt-5-2025-08-07' }))).toEqual([300_000, 'setting']);
    expect(limitOf(run.reads(10, { model: 'us.anthropic.claude-opus-5' }))).toEqual([90_000, 'setting']);
    expect(limitOf(run.reads(10, { model: 'made-up', scope: 'side' }))).toEqual([128_000, 'setting']);
    expect(limitOf(run.reads(10, { model: 'gpt-5.4' }))).toEqual([1_050_000, 'table']);
    expect(limitOf(run.reads(10, { model: 'gpt-5', limit: 400_000 }))).toEqual([400_000, 'turn']);
    expect(limitOf(run.reads(10, { model: 'gpt-5' }))).toEqual([400_000, 'client']);
  });

  it('falls back to the limit in the model table', () => {
    const run = snapshotRun();
    expect(limitOf(run.reads(10, { model: 'claude-opus-4-5-20251101' }))).toEqual([200_000, 'table']);
  });

  it('falls back to the client’s own window of the model', () => {
    const run = new FoldRun();
    run.add('session_start', { lens: 'snapshot', client: 'codex' });
    expect(limitOf(run.reads(10, { model: 'gpt-5.3-codex' }))).toEqual([258_400, 'table']);
    expect(limitOf(run.reads(300_000, { model: 'gpt-5.3-codex' }))).toEqual([1_000_000, 'learned']);
  });

  it('becomes the model’s larger window after a reading above the window in the table', () => {
    const run = snapshotRun();
    const model = 'claude-opus-4-6';
    expect(limitOf(run.reads(190_000, { model }))).toEqual([200_000, 'table']);
    expect(limitOf(run.reads(260_000, { model }))).toEqual([1_000_000, 'learned']);
    expect(run.kinds()).toContain('state_changed');
    expect(limitOf(run.reads(270_000, { model }))).toEqual([1_000_000, 'learned']);
  });

  it('becomes 1M, 2M after a reading above the assumed limit, and 4M after two', () => {
    const run = snapshotRun();
    const model = 'made-up';
    expect(limitOf(run.reads(200_000, { model }))).toEqual([200_000, 'assumed']);
    expect(limitOf(run.reads(200_001, { model }))).toEqual([1_000_000, 'learned']);
    expect(limitOf(run.reads(1_000_000, { model }))).toEqual([1_000_000, 'learned']);
    expect(limitOf(run.reads(1_000_001, { model }))).toEqual([2_000_000, 'learned']);
    expect(limitOf(run.reads(2_500_000, { model }))).toEqual([2_000_000, 'learned']);
    expect(limitOf(run.reads(2_500_000, { model }))).toEqual([4_000_000, 'learned']);
  });

  it('becomes 200 000 after a reading above a smaller window', () => {
    const run = snapshotRun();
    const model = 'gpt-4o';
    expect(limitOf(run.reads(128_000, { model }))).toEqual([128_000, 'table']);
    expect(limitOf(run.reads(200_000, { model }))).toEqual([200_000, 'learned']);
  });

  it('is not learned from an estimated reading, and never replaces a stated limit', () => {
    const run = snapshotRun(100_000);
    expect(limitOf(run.reads(120_000))).toEqual([100_000, 'session']);
    const assumed = new FoldRun();
    const step = assumed.add('turn', { usage: {}, contextTokens: 300_000, basis: 'estimate' });
    expect(limitOf(step)).toEqual([200_000, 'assumed']);
  });

  it('is an assumed 200 000 for a cumulative session without a known limit', () => {
    expect(limitOf(new FoldRun().turn([1, 1]))).toEqual([200_000, 'assumed']);
  });

  it('is an assumed 200 000 for a model that is not in the table', () => {
    expect(limitOf(snapshotRun().reads(90_000, { model: 'made-up-1' }))).toEqual([200_000, 'assumed']);
  });

  it('is missing in a snapshot session without a model, which shows tokens without a percentage', () => {
    const run = snapshotRun();
    expect(limitOf(run.reads(90_000))).toEqual([null, 'none']);
    expect(run.kinds()).toEqual([]);
  });
});

describe('the model table', () => {
  it('gives every window with its source and the date it was read', () => {
    for (const window of MODEL_WINDOWS) {
      expect(window.source).not.toBe('');
      expect(window.date).toMatch(/^\d{4}-\d\d-\d\d$/);
    }
  });
});
