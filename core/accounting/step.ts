import type { EventData } from '../events/details';
import { MAIN_CHAIN, openChain } from './empty-fold';
import type { ChainFold, FoldContext, FoldInput, FoldStep, Limit, SessionFold } from './fold-types';
import { usedByLens, usedCumulative, usedSnapshot } from './lens';
import type { Thresholds, TurnFlags } from './types';

export class Step implements FoldStep {
  turn: FoldStep['turn'] = null;
  amends: FoldStep['amends'] = null;
  closed: FoldStep['closed'] = null;
  corrects: FoldStep['corrects'] = null;
  readonly events: FoldStep['events'] = [];
  readonly chain: ChainFold;
  /** Chart time, milliseconds: the chain's running maximum. */
  readonly time: number;
  readonly thresholds: Readonly<Thresholds>;

  constructor(
    readonly state: SessionFold,
    readonly input: FoldInput,
    readonly context: FoldContext,
    readonly key: string = MAIN_CHAIN,
  ) {
    this.chain = openChain(state, key);
    this.time = Math.max(input.at, this.chain.time ?? input.at);
    this.chain.time = this.time;
    state.latestAt = Math.max(input.at, state.latestAt ?? input.at);
    this.thresholds = context.thresholds;
  }

  get isMain(): boolean {
    return this.key === MAIN_CHAIN;
  }

  used(): number | null {
    return usedByLens(this.chain.context, this.state.lens);
  }

  emit(event: EventData, context = this.chain.context.index): void {
    this.events.push({ ...event, chain: this.key, context, at: this.time, turn: this.chain.turnCount });
  }

  store(limit: Readonly<Limit>, flags: TurnFlags): void {
    const { context, turnCount } = this.chain;
    const { input, output, cacheRead } = context.cumulative;
    this.turn = {
      chain: this.key,
      context: context.index,
      number: turnCount,
      cumulative: { input, output, cacheRead },
      limit: limit.tokens,
      limitSource: limit.source,
      flags,
      time: this.time,
      usedCumulative: usedCumulative(context),
      usedSnapshot: usedSnapshot(context),
    };
  }
}
