import { MAIN_CHAIN } from '../../core/accounting/empty-fold';
import type { SessionPlan } from './session-plan';

/** What a turn's smallint holds. */
const MAX_CHAIN = 32_767;

/** Number of a chain in its session's rows: 0 is `main`, the others count on in order of appearance. */
export function chainNumber(plan: Pick<SessionPlan, 'chains' | 'chainCount'>, key: string): number {
  const known = plan.chains.get(key);
  if (known) return known.chain;
  const chain = key === MAIN_CHAIN ? 0 : plan.chainCount;
  if (chain > MAX_CHAIN) throw new RangeError(`a session has at most ${MAX_CHAIN} chains besides main`);
  if (key !== MAIN_CHAIN) plan.chainCount += 1;
  plan.chains.set(key, { chain, key, fold: null });
  return chain;
}
