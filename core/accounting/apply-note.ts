/** Reports that are shown in their place and move no sum: compressions, archives, gaps. */
import type { EventData } from '../events/details';
import type { ItemOf } from '../protocol/items';
import { onlyEvents } from './apply-session';
import { archiveFacts, attachArchive, hasArchive } from './attach-archive';
import { advanceTime, MAIN_CHAIN, openChain } from './empty-fold';
import type { ChainFold, FoldInput, FoldStep, SessionFold } from './fold-types';

function note(
  state: SessionFold,
  input: FoldInput,
  chainKey: string | undefined,
  event: EventData,
): FoldStep {
  const key = chainKey ?? MAIN_CHAIN;
  const chain = openChain(state, key);
  const at = advanceTime(chain, input.at);
  return onlyEvents([{ ...event, chain: key, context: chain.context.index, at, turn: chain.turnCount }]);
}

/** The runner removed messages from its context: no boundary, the next reading shows what it brought. */
export function applyCompress(state: SessionFold, input: FoldInput, item: ItemOf<'compress'>): FoldStep {
  const { before, after, removed } = item;
  const detail = { before, after, ...(removed === undefined ? {} : { removed }) };
  return note(state, input, item.chain, { kind: 'context_compressed', detail });
}

export function applyArchive(state: SessionFold, input: FoldInput, item: ItemOf<'archive'>): FoldStep {
  const detail = {
    ...(item.trigger === undefined ? {} : { trigger: item.trigger }),
    ...archiveFacts(item),
  };
  const step = note(state, input, undefined, { kind: `archive_${item.state}`, detail });
  const chain = openChain(state, MAIN_CHAIN);
  const amends = attachArchive(chain, item);
  noteFailure(state, chain, item, step.events[0]?.at ?? input.at);
  return { ...step, amends };
}

/**
 * A failed archive is shown until one is stored. Where a copy of the same transcript was kept before, nothing is lost; a
 * skip says nothing of it.
 */
function noteFailure(
  state: SessionFold,
  chain: Readonly<ChainFold>,
  { state: reported, reason }: ItemOf<'archive'>,
  at: number,
): void {
  if (reported === 'stored') state.archiveFailure = null;
  if (reported === 'failed' && !hasArchive(chain)) state.archiveFailure = { at, reason: reason ?? null };
}

/** Turns were lost: the context's sums are a lower bound until the next boundary. */
export function applyGap(state: SessionFold, input: FoldInput, item: ItemOf<'gap'>): FoldStep {
  openChain(state, item.chain ?? MAIN_CHAIN).context.complete = false;
  const { from = null, to = null, count, reason = null } = item;
  return note(state, input, item.chain, { kind: 'turns_dropped', detail: { from, to, count, reason } });
}
