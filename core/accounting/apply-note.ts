/** Reports that are shown in their place and move no sum: compressions, archives, gaps. */
import type { EventKind } from '../api/session';
import type { ItemOf } from '../protocol/items';
import { onlyEvents } from './apply-session';
import { attachArchive, hasArchive } from './attach-archive';
import { advanceTime, MAIN_CHAIN, openChain } from './empty-fold';
import type { ChainFold, FoldInput, FoldStep, SessionFold } from './fold-types';

function note(
  state: SessionFold,
  input: FoldInput,
  chainKey: string | undefined,
  kind: EventKind,
  detail: Record<string, unknown>,
): FoldStep {
  const key = chainKey ?? MAIN_CHAIN;
  const chain = openChain(state, key);
  const at = advanceTime(chain, input.at);
  return onlyEvents([{ kind, chain: key, context: chain.context.index, at, turn: chain.turnCount, detail }]);
}

/** The runner removed messages from its context: no boundary, the next reading shows what it brought. */
export function applyCompress(state: SessionFold, input: FoldInput, item: ItemOf<'compress'>): FoldStep {
  const { before, after, removed } = item;
  return note(state, input, item.chain, 'context_compressed', {
    before,
    after,
    ...(removed === undefined ? {} : { removed }),
  });
}

export function applyArchive(state: SessionFold, input: FoldInput, item: ItemOf<'archive'>): FoldStep {
  const detail: Record<string, unknown> = {};
  for (const field of [
    'trigger',
    'archive',
    'version',
    'reason',
    'path',
    'bytes',
    'lines',
    'sha256',
  ] as const) {
    if (item[field] !== undefined) detail[field] = item[field];
  }
  const step = note(state, input, undefined, `archive_${item.state}`, detail);
  const chain = openChain(state, MAIN_CHAIN);
  const amends = attachArchive(chain, item);
  noteFailure(state, chain, item, step.events[0]?.at ?? input.at);
  return { ...step, amends };
}

/**
 * A failed archive stands until one is kept. Where a copy of the same transcript was kept before, nothing is lost; a
 * skip says nothing of it.
 */
function noteFailure(
  state: SessionFold,
  chain: Readonly<ChainFold>,
  { state: told, reason }: ItemOf<'archive'>,
  at: number,
): void {
  if (told === 'stored') state.archiveFailure = null;
  if (told === 'failed' && !hasArchive(chain)) state.archiveFailure = { at, reason: reason ?? null };
}

/** Turns were lost: the context's sums are a lower bound until the next boundary. */
export function applyGap(state: SessionFold, input: FoldInput, item: ItemOf<'gap'>): FoldStep {
  openChain(state, item.chain ?? MAIN_CHAIN).context.complete = false;
  return note(state, input, item.chain, 'turns_dropped', {
    from: item.from ?? null,
    to: item.to ?? null,
    count: item.count,
    reason: item.reason ?? null,
  });
}
