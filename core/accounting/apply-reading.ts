import type { ItemOf } from '../protocol/items';
import { isReadingUsable, noteFirstReading, type Reading, takeReading } from './accept-reading';
import { deriveTurn } from './derive-turn';
import { advanceTime, MAIN_CHAIN, openChain } from './empty-fold';
import type { DerivedEvent, FoldContext, FoldInput, FoldStep, SessionFold } from './fold-types';
import { usedByLens } from './lens';
import { nameModel, resolveLimit, setLimit, stateLimit } from './limit';
import { followMovement } from './main-value';

/** An absolute statement of the context's size that came on its own, by a status line or a client's event. */
export function applyReading(
  state: SessionFold,
  input: FoldInput,
  item: ItemOf<'reading'>,
  context: FoldContext,
): FoldStep {
  const key = item.chain ?? MAIN_CHAIN;
  const chain = openChain(state, key);
  const current = chain.context;
  const time = advanceTime(chain, input.at);
  current.startedAt ??= time;
  const events: DerivedEvent[] = [];
  const before = { used: usedByLens(current, state.lens), basis: current.reading?.basis };

  nameModel(chain, item.model);
  if (item.limit !== undefined) stateLimit(chain, chain.model, item.limit);
  setLimit(chain, resolveLimit(state, chain, chain.model, item.limit));

  const reading: Reading = {
    tokens: item.contextTokens,
    basis: item.basis ?? 'total',
    call: item.call ?? null,
  };
  const isUsed = isReadingUsable(chain, reading, chain.limit.tokens);
  let amends: FoldStep['amends'] = null;
  if (isUsed) {
    takeReading(chain, reading, chain.limit);
    setLimit(chain, resolveLimit(state, chain, chain.model, item.limit));
    amends = noteFirstReading(chain, reading);
  }
  followMovement(state, chain, { chainKey: key, time, before, isCall: false }, context, events);
  const turn = deriveTurn(key, chain, chain.limit, time, {
    estimated: reading.basis === 'estimate',
    untracked: !current.tracked,
    noUsage: true,
    inherited: false,
    negative: false,
    clock: input.clockOff,
    superseded: false,
    readingIgnored: !isUsed,
    readingOnly: true,
  });
  return { turn, events, amends, closed: null };
}
