import { describe, expect, it } from 'vitest';
import { fc, propertyRuns } from '../testing/property-runs';
import { arbitraryDrafts, type Draft, itemOf } from './arbitrary-items.fixture';
import { emptySessionFold, foldItem } from './fold';
import { foldCorrected } from './fold-testing';
import type { Correction, FoldContext, FoldInput, FoldStep, SessionFold } from './fold-types';
import { lastCorrectionBy } from './limit';
import { summarizeSession } from './summarize-session';
import { DEFAULT_THRESHOLDS } from './thresholds';

const runs = propertyRuns();

const context: FoldContext = { thresholds: { ...DEFAULT_THRESHOLDS } };
const STRIDE = 2 ** 20;

interface Row {
  seq: number;
  step: FoldStep;
}

function inputOf(drafts: readonly Draft[], seq: number, position: number): FoldInput {
  const draft = drafts[seq - 1];
  if (draft === undefined) throw new Error(`no item ${seq}`);
  return { position, at: draft.at, clockOff: false, source: 'transcript', item: itemOf(draft, seq) };
}

function foldOne(state: SessionFold, input: FoldInput): FoldStep {
  const result = foldItem(state, input, context);
  if (!result.ok) throw new Error(result.reason);
  return structuredClone(result);
}

/** Folds the stream in order. Positions equal seqs. */
function foldInOrder(drafts: readonly Draft[]): { state: SessionFold; rows: Row[] } {
  const inputs = drafts.map((_, i) => inputOf(drafts, i + 1, i + 1));
  const { state, steps } = foldCorrected(inputs, context);
  return { state, rows: steps.map((step, i) => ({ seq: i + 1, step })) };
}

/**
 * Folds one stream as ingest does: an item is appended, or inserted before the lowest later seq. After a late item or a
 * corrected limit, the session is folded again from an earlier state. States are stored as JSON.
 */
class ArrivingStream {
  private readonly placed: { seq: number; position: number; before: string; step: FoldStep | null }[] = [];
  private state = JSON.stringify(emptySessionFold());

  constructor(private readonly drafts: readonly Draft[]) {}

  receive(seq: number): void {
    const later = this.placed.findIndex((item) => item.seq > seq);
    const index = later === -1 ? this.placed.length : later;
    const below = this.placed[index - 1]?.position ?? 0;
    const above = this.placed[index]?.position;
    const position = above === undefined ? below + STRIDE : Math.floor((below + above) / 2);
    const before = this.placed[index]?.before ?? this.state;
    this.placed.splice(index, 0, { seq, position, before, step: null });
    let from = index;
    const correctedBy = (at: number) => lastCorrectionBy(JSON.parse(this.placed[at]?.before ?? ''));
    while (correctedBy(from) >= position) from -= 1;
    this.foldFrom(from);
  }

  private foldFrom(from: number, known: readonly Correction[] = []): void {
    const state: SessionFold = JSON.parse(this.placed[from]?.before ?? '');
    if (known.length > 0) state.corrections = [...known, ...(state.corrections ?? [])];
    for (const item of this.placed.slice(from)) {
      if (item !== this.placed[from]) item.before = JSON.stringify(state);
      item.step = foldOne(state, inputOf(this.drafts, item.seq, item.position));
      const { corrects } = item.step;
      if (corrects) {
        const since = this.placed.findIndex(({ position }) => position === corrects.since);
        this.foldFrom(Math.min(from, since), [corrects, ...known]);
        return;
      }
    }
    this.state = JSON.stringify(state);
  }

  /** Rows and state with positions written as seqs, to compare with the orderly stream. */
  result(): { state: SessionFold; rows: unknown[] } {
    const seqAt = new Map(this.placed.map(({ seq, position }) => [position, seq]));
    const named = (name: string, value: unknown) =>
      ['position', 'since', 'by'].includes(name) ? (seqAt.get(Number(value)) ?? value) : value;
    const rows = this.placed.map(({ seq, step }) => ({ seq, step }));
    return JSON.parse(JSON.stringify({ state: JSON.parse(this.state), rows }), named);
  }
}

describe('the fold', () => {
  it('gives the same rows, events and state for any arrival order of a stream', () => {
    const stream = arbitraryDrafts.chain((drafts) =>
      fc.record({
        drafts: fc.constant(drafts),
        arrival: fc.shuffledSubarray(
          drafts.map((_, i) => i + 1),
          { minLength: drafts.length },
        ),
      }),
    );
    fc.assert(
      fc.property(stream, ({ drafts, arrival }) => {
        const arriving = new ArrivingStream(drafts);
        for (const seq of arrival) arriving.receive(seq);
        expect(arriving.result()).toEqual(JSON.parse(JSON.stringify(foldInOrder(drafts))));
      }),
      runs(150),
    );
  });

  it('gives the same sums if the state is stored and read between any items', () => {
    const cut = fc.array(fc.boolean(), { maxLength: 40 });
    fc.assert(
      fc.property(arbitraryDrafts, cut, (drafts, cuts) => {
        const plain = emptySessionFold();
        let state = emptySessionFold();
        drafts.forEach((_, i) => {
          const input = inputOf(drafts, i + 1, i + 1);
          expect(foldOne(state, input)).toEqual(foldOne(plain, input));
          if (cuts[i]) state = JSON.parse(JSON.stringify(state));
        });
        expect(state).toEqual(plain);
      }),
      runs(150),
    );
  });

  it('gives the same result after corrections as a fold that knows each window from its first item', () => {
    fc.assert(
      fc.property(arbitraryDrafts, (drafts) => {
        const inputs = drafts.map((_, i) => inputOf(drafts, i + 1, i + 1));
        const { known, steps } = foldCorrected(inputs, context);
        const informed = emptySessionFold();
        informed.corrections = [...known];
        for (const [i, input] of inputs.entries()) expect(foldOne(informed, input)).toEqual(steps[i]);
      }),
      runs(150),
    );
  });

  it('never adds cache reads or writes to a pressure', () => {
    const noise = fc.array(fc.integer({ min: 0, max: 2 ** 40 }), { minLength: 40, maxLength: 40 });
    const pressures = (drafts: readonly Draft[]) => {
      const { state, rows } = foldInOrder(drafts);
      const { pressure, state: word, used, nextBoundary } = summarizeSession(state, DEFAULT_THRESHOLDS);
      const turns = rows.map(({ step }) => [
        step.turn?.usedCumulative,
        step.turn?.usedSnapshot,
        step.turn?.limit,
      ]);
      return { pressure, word, used, nextBoundary, turns, events: rows.map(({ step }) => step.events) };
    };
    fc.assert(
      fc.property(arbitraryDrafts, noise, (drafts, values) => {
        const noisy = drafts.map((draft, i): Draft => {
          if (draft.type !== 'turn' || draft.usage === null) return draft;
          const usage = {
            ...(draft.usage as object),
            cacheRead: values[i] ?? 0,
            cacheCreation: values[39 - i] ?? 0,
          };
          return { ...draft, usage };
        });
        expect(pressures(noisy)).toEqual(pressures(drafts));
      }),
      runs(150),
    );
  });

  it('gives session totals that equal the sums over the contexts, and cumulative values that start at 0', () => {
    fc.assert(
      fc.property(arbitraryDrafts, (drafts) => {
        const { state, rows } = foldInOrder(drafts);
        const closed = rows.flatMap(({ step }) => (step.closed === null ? [] : [step.closed.context]));
        const open = Object.values(state.chains).map((chain) => chain.context);
        const sum = (field: 'input' | 'output' | 'cacheRead' | 'cacheCreation' | 'calls') =>
          [...closed, ...open].reduce((total, c) => total + c.totals[field], 0);
        const { main, side } = state.totals;
        for (const field of ['input', 'output', 'cacheRead', 'cacheCreation', 'calls'] as const) {
          expect(main[field] + side[field]).toBe(sum(field));
        }
        const boundaries = closed.length;
        const contexts = open.reduce((count, c) => count + c.index, 0);
        expect(contexts).toBe(boundaries);
      }),
      runs(150),
    );
  });

  it('numbers the counted turns of a chain 1, 2, 3 … with ascending chart times', () => {
    fc.assert(
      fc.property(arbitraryDrafts, (drafts) => {
        const { rows } = foldInOrder(drafts);
        for (const chain of ['main', 'agent-1']) {
          const turns = rows.flatMap(({ step }) => (step.turn?.chain === chain ? [step.turn] : []));
          const counted = turns.filter((turn) => !turn.flags.inherited && !turn.flags.readingOnly);
          expect(counted.map((turn) => turn.number)).toEqual(counted.map((_, i) => i + 1));
          const times = turns.map((turn) => turn.time);
          expect(times).toEqual(times.toSorted((a, b) => a - b));
        }
      }),
      runs(150),
    );
  });
});
