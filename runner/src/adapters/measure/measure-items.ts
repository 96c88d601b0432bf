import { emptySessionFold, foldItem } from '../../../../core/accounting/fold';
import type { FoldInput } from '../../../../core/accounting/fold-types';
import { DEFAULT_THRESHOLDS } from '../../../../core/accounting/thresholds';
import type { TranscriptItem } from '../format';
import { addTotals, type MeasuredContext, type MeasuredSession, noTotals } from './measured-session';

/**
 * The numbers a session's items come to, by the fold that ingest runs: what a server would store from
 * one orderly stream without a resend. An item with the call of an earlier one is an amendment and takes
 * its place, as it does on the server.
 */
export function measureItems(items: readonly TranscriptItem[]): MeasuredSession {
  const state = emptySessionFold();
  const contexts = new Map<string, MeasuredContext[]>();
  const compactions: MeasuredSession['compactions'] = [];
  const contextOf = (chain: string, index: number) => {
    const list = contexts.get(chain) ?? [];
    contexts.set(chain, list);
    while (list.length <= index) list.push({ ...noTotals(), peak: null, last: null });
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
    const step = foldItem(state, input, { thresholds: DEFAULT_THRESHOLDS, owner: 'transcript' });
    if (!step.ok) throw new Error(`${step.code}: ${step.reason}`);
    if (step.closed !== null) {
      const { chain, context } = step.closed;
      contextOf(chain, context.index)[context.index] = toContext(context);
    }
    for (const event of step.events) {
      if (event.kind !== 'compaction' || event.chain !== 'main') continue;
      const { trigger, preTokens } = event.detail;
      compactions.push({
        trigger: String(trigger),
        preTokens: typeof preTokens === 'number' ? preTokens : null,
      });
    }
  }
  for (const [chain, fold] of Object.entries(state.chains)) {
    contextOf(chain, fold.context.index)[fold.context.index] = toContext(fold.context);
  }

  const main = contexts.get('main') ?? [{ ...noTotals(), peak: null, last: null }];
  const chains = [...contexts].filter(([chain]) => chain !== 'main');
  return {
    main: pick(state.totals.main),
    side: pick(state.totals.side),
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
    ...list.reduce(addTotals, noTotals()),
    ...{ peak: highest(list), last: list.at(-1)?.last ?? null },
  };
}

export function highest(list: readonly MeasuredContext[]): number | null {
  return list.reduce<number | null>(
    (peak, context) => (context.peak === null ? peak : Math.max(peak ?? 0, context.peak)),
    null,
  );
}

function placeAmendments(items: readonly TranscriptItem[]): TranscriptItem[] {
  const placed: TranscriptItem[] = [];
  const calls = new Map<string, number>();
  for (const item of items) {
    const call = item.type === 'turn' ? item.call : undefined;
    const before = call === undefined ? undefined : calls.get(call);
    if (before !== undefined) placed[before] = item;
    else {
      if (call !== undefined) calls.set(call, placed.length);
      placed.push(item);
    }
  }
  return placed;
}

function pick(totals: ReturnType<typeof noTotals>) {
  const { calls, input, output, cacheRead, cacheCreation } = totals;
  return { calls, input, output, cacheRead, cacheCreation };
}

function toContext(context: {
  totals: ReturnType<typeof noTotals>;
  peakOccupancy: number | null;
  lastOccupancy: number | null;
}): MeasuredContext {
  return { ...pick(context.totals), peak: context.peakOccupancy, last: context.lastOccupancy };
}
