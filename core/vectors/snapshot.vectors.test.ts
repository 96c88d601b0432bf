import { describe, expect, it } from 'vitest';
import { type FoldRun, snapshotRun } from '../accounting/fold-testing';
import type { DerivedEvent } from '../accounting/fold-types';
import { usedSnapshot } from '../accounting/lens';
import { pressureOf, stateOf } from '../accounting/state';
import { DEFAULT_THRESHOLDS } from '../accounting/thresholds';
import snapshotVectors from './snapshot.json';
import trackerVectors from './tracker.json';
import {
  casesOf,
  type SnapshotStep,
  type TrackerEvent,
  type TrackerStep,
  type VectorCase,
} from './vector-testing';

type SnapshotCase = VectorCase<{ limit: number }, SnapshotStep>;
type TrackerCase = VectorCase<{ limit: number; autoCompress: unknown }, TrackerStep>;

function readingOf(run: FoldRun): number | null {
  const context = run.state.chains.main?.context;
  return context ? usedSnapshot(context) : null;
}

describe('the fold agrees with the vectors of single calls', () => {
  it.each(casesOf<SnapshotCase>(snapshotVectors).map((one) => [one.name, one] as const))(
    '%s',
    (_name, { given, steps }) => {
      const run = snapshotRun(given.limit);
      for (const step of steps) {
        applyCall(run, step, given.limit);
        const { contextTokens, basis, pressure } = step.expect;
        expect(readingOf(run)).toBe(contextTokens);
        expect(run.state.chains.main?.context.reading?.basis ?? null).toBe(basis);
        expect(pressureOf(readingOf(run), given.limit)).toBe(pressure);
      }
    },
  );
});

function applyCall(run: FoldRun, step: SnapshotStep, limit: number): void {
  if (step.kind === 'restart') run.add('restart', {});
  else if (step.kind === 'clear') run.add('clear', {});
  else if (step.kind === 'compaction') run.add('compaction', { trigger: 'auto', state: 'confirmed' });
  if (step.op === 'boundary') return;
  const { scope = 'main', totalTokens = null, estimate = null } = step;
  const reading =
    totalTokens !== null
      ? { contextTokens: totalTokens, basis: 'total' as const }
      : estimate !== null
        ? { contextTokens: estimate, basis: 'estimate' as const }
        : {};
  run.add('turn', { scope, limit, usage: totalTokens === null ? null : {}, ...reading });
}

describe('the events of a growing context agree with the vectors of the tracker', () => {
  const cases = casesOf<TrackerCase>(trackerVectors).filter(({ given }) => given.autoCompress === null);

  it.each(cases.map((one) => [one.name, one] as const))('%s', (_name, { given, steps }) => {
    const run = snapshotRun(given.limit);
    for (const step of steps) {
      run.events.length = 0;
      if (step.op === 'clear') run.add('clear', {});
      else run.add('reading', { contextTokens: step.expect.used, limit: given.limit, basis: 'estimate' });
      expect(run.events.flatMap(stateEventOf)).toEqual(step.expect.events.flatMap(stateEventIn));
      if (step.op === 'clear') continue;
      expect(stateOf(pressureOf(readingOf(run), given.limit), DEFAULT_THRESHOLDS)).toBe(step.expect.state);
    }
  });
});

const NAMES = {
  state_changed: 'stateChanged',
  approaching_redline: 'approachingRedline',
  redlined: 'redlined',
} as const;

/** A state event of the fold with the tracker's names. Other events of the fold have no counterpart. */
function stateEventOf({ kind, detail }: DerivedEvent): unknown[] {
  if (kind === 'state_changed') return [{ type: NAMES[kind], from: detail.from, to: detail.to }];
  return kind === 'approaching_redline' || kind === 'redlined' ? [{ type: NAMES[kind] }] : [];
}

function stateEventIn({ type, from, to }: TrackerEvent): unknown[] {
  if (type === 'stateChanged') return [{ type, from, to }];
  return type === 'cleared' || type === 'compressed' ? [] : [{ type }];
}
