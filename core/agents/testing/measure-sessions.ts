/**
 * The numbers of one session, for comparison with independent values: counts of real transcripts, and the hand-written
 * values of the fixtures.
 */
import { addTotals, emptyTotals } from '../../accounting/counts';
import { emptySessionFold, foldItem } from '../../accounting/fold';
import type { ContextFold, FoldInput } from '../../accounting/fold-types';
import { DEFAULT_THRESHOLDS } from '../../accounting/thresholds';
import type { Totals } from '../../accounting/types';
import type { CallOwners, TranscriptItem } from '../agent-format';

export interface MeasuredContext extends Totals {
  peak: number | null;
  last: number | null;
}

export interface MeasuredSession {
  main: Totals;
  side: Totals;
  /** Highest reading of the main chain, tokens; null: no reading. */
  peak: number | null;
  /** Current reading of the main chain, tokens; null while unknown. */
  last: number | null;
  /** Contexts of the main chain, in order. */
  contexts: MeasuredContext[];
  /** Confirmed compactions of the main chain, in order. */
  compactions: { trigger: string; preTokens: number | null; postTokens: number | null }[];
  /** Figures of each sub-agent, by chain: sums over its contexts, highest and last reading (null for side calls). */
  chains: Record<string, MeasuredContext>;
}

interface Difference {
  /** Path of the value, as in `contexts.1.cacheRead`. */
  field: string;
  expected: unknown;
  actual: unknown;
}

/** All differing values, and the number of compared values. */
export function compareSessions(expected: MeasuredSession, actual: MeasuredSession) {
  const wanted = flatten(expected);
  const found = flatten(actual);
  const fields = [...new Set([...wanted.keys(), ...found.keys()])];
  const differences: Difference[] = fields
    .filter((field) => wanted.get(field) !== found.get(field))
    .map((field) => ({ field, expected: wanted.get(field), actual: found.get(field) }));
  return { compared: fields.length, differences };
}

function flatten(value: unknown, path = '', into = new Map<string, unknown>()): Map<string, unknown> {
  if (typeof value !== 'object' || value === null) return into.set(path, value);
  for (const [name, inner] of Object.entries(value)) flatten(inner, path ? `${path}.${name}` : name, into);
  if (Array.isArray(value)) into.set(`${path}.length`, value.length);
  return into;
}

/** Fold a session's items as ingest does, from one stream in order. */
export function measureItems(items: readonly TranscriptItem[]): MeasuredSession {
  const state = emptySessionFold();
  const contexts = new Map<string, MeasuredContext[]>();
  const compactions: MeasuredSession['compactions'] = [];
  const contextOf = (chain: string, index: number) => {
    const list = contexts.get(chain) ?? [];
    contexts.set(chain, list);
    while (list.length <= index) list.push({ ...emptyTotals(), peak: null, last: null });
    return list;
  };

  const inputs = placeAmendments(items).map(
    (item, index): FoldInput => ({
      position: index + 1,
      at: item.at,
      clockOff: false,
      source: 'transcript',
      item: { ...item, seq: index + 1 },
    }),
  );
  for (const input of inputs) {
    const step = foldItem(state, input, { thresholds: DEFAULT_THRESHOLDS });
    if (!step.ok) throw new Error(`${step.code}: ${step.reason}`);
    if (step.closed !== null) {
      const { chain, context } = step.closed;
      contextOf(chain, context.index)[context.index] = toContext(context);
    }
    for (const event of step.events) {
      if (event.kind !== 'compaction' || event.chain !== 'main') continue;
      const { trigger, preTokens = null, postTokens = null } = event.detail;
      compactions.push({ trigger, preTokens, postTokens });
    }
  }
  for (const [chain, fold] of Object.entries(state.chains)) {
    contextOf(chain, fold.context.index)[fold.context.index] = toContext(fold.context);
  }

  const main = contexts.get('main') ?? [{ ...emptyTotals(), peak: null, last: null }];
  const chains = [...contexts].filter(([chain]) => chain !== 'main');
  return {
    main: { ...state.totals.main },
    side: { ...state.totals.side },
    peak: highest(main),
    last: state.chains.main?.context.reading?.tokens ?? null,
    contexts: main,
    compactions,
    chains: Object.fromEntries(chains.map(([chain, list]) => [chain, sumChain(list)])),
  };
}

/** Sums over a chain's contexts, with its highest reading and its last. */
export function sumChain(list: readonly MeasuredContext[]): MeasuredContext {
  return {
    ...list.reduce(addTotals, emptyTotals()),
    ...{ peak: highest(list), last: list.at(-1)?.last ?? null },
  };
}

export function highest(list: readonly MeasuredContext[]): number | null {
  return list.reduce<number | null>(
    (peak, context) => (context.peak === null ? peak : Math.max(peak ?? 0, context.peak)),
    null,
  );
}

/** An item with the call or boundary of an earlier item replaces that item, as on the server. */
export function placeAmendments(items: readonly TranscriptItem[]): TranscriptItem[] {
  const placed: TranscriptItem[] = [];
  const places = new Map<string, number>();
  for (const item of items) {
    const own = item.type === 'turn' ? [item.call].flat()[0] : 'boundary' in item ? item.boundary : undefined;
    // A compaction may have the id of its own call.
    const id = own === undefined ? undefined : `${item.type} ${own}`;
    const before = id === undefined ? undefined : places.get(id);
    if (before !== undefined) placed[before] = item;
    else {
      if (id !== undefined) places.set(id, placed.length);
      placed.push(item);
    }
  }
  return placed;
}

function toContext({ totals, peakOccupancy, lastOccupancy }: ContextFold): MeasuredContext {
  return { ...totals, peak: peakOccupancy, last: lastOccupancy };
}

/** Call owners in memory, for one run over a set of files. */
export function createCallOwners(): CallOwners {
  const known = new Map<string, string>();
  return {
    claim(record, session) {
      const owner = known.get(record);
      if (owner !== undefined) return owner;
      known.set(record, session);
      return session;
    },
  };
}
