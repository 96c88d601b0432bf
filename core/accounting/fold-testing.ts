/** Helpers for tests of the fold: items with a running seq and time, folded in order. */
import type { Item, ItemOf, ItemType } from '../protocol/items';
import { emptySessionFold, foldItem } from './fold';
import type { Correction, DerivedEvent, FoldContext, FoldInput, FoldStep, SessionFold } from './fold-types';
import { DEFAULT_THRESHOLDS } from './thresholds';
import type { SourceName } from './types';

export const START = Date.UTC(2026, 0, 5, 12);
const MINUTE = 60_000;

type Fields<T extends ItemType> = Omit<ItemOf<T>, 'type' | 'seq' | 'session' | 'at'>;

/** Folds items one after the other, a minute apart, and keeps every step. */
export class FoldRun {
  state: SessionFold = emptySessionFold();
  readonly inputs: FoldInput[] = [];
  readonly steps: FoldStep[] = [];
  readonly events: DerivedEvent[] = [];
  private seq = 0;

  constructor(
    readonly context: FoldContext = { thresholds: { ...DEFAULT_THRESHOLDS } },
    private readonly source: SourceName = 'transcript',
  ) {}

  /** @throws Error when the fold refuses the item. */
  add<T extends ItemType>(type: T, fields: Fields<T>, input: Partial<FoldInput> = {}): FoldStep {
    const result = this.try(type, fields, input);
    if (!result.ok) throw new Error(`refused: ${result.code} ${result.field}`);
    this.steps.push(result);
    this.events.push(...result.events);
    return result;
  }

  try<T extends ItemType>(type: T, fields: Fields<T>, input: Partial<FoldInput> = {}) {
    this.seq += 1;
    const at = input.at ?? START + this.seq * MINUTE;
    const item = { type, seq: this.seq, session: 's', at, ...fields } as Item;
    const whole = { position: this.seq, at, clockOff: false, source: this.source, item, ...input };
    this.inputs.push(whole);
    return foldItem(this.state, whole, this.context);
  }

  /** A main turn with usage `[input, output, cacheRead]`. */
  turn(usage: readonly number[], fields: Partial<Fields<'turn'>> = {}): FoldStep {
    const [input = 0, output = 0, cacheRead = 0] = usage;
    return this.add('turn', { usage: { input, output, cacheRead }, ...fields });
  }

  /** A main turn of a snapshot session, with a reading. */
  reads(contextTokens: number, fields: Partial<Fields<'turn'>> = {}): FoldStep {
    return this.add('turn', { usage: { input: 1, output: 1 }, contextTokens, ...fields });
  }

  kinds(): string[] {
    return this.events.map((event) => event.kind);
  }
}

/** Folds items as ingest does: after a correction of a limit, the fold starts again and knows the correction. */
export function foldCorrected(
  inputs: readonly FoldInput[],
  context: FoldContext,
  known: readonly Correction[] = [],
): { state: SessionFold; steps: FoldStep[]; known: readonly Correction[] } {
  const state = emptySessionFold();
  if (known.length > 0) state.corrections = [...known];
  const steps: FoldStep[] = [];
  for (const input of inputs) {
    const step = foldItem(state, input, context);
    if (!step.ok) throw new Error(step.reason);
    if (step.corrects) return foldCorrected(inputs, context, [step.corrects, ...known]);
    steps.push(structuredClone(step));
  }
  return { state, steps, known };
}

/** A run of a session that declared the snapshot lens and, if given, a limit. */
export function snapshotRun(limit?: number): FoldRun {
  const run = new FoldRun();
  run.add('session_start', { lens: 'snapshot', ...(limit === undefined ? {} : { limit }) });
  run.events.length = 0;
  return run;
}
