/** Records lost items of a queue as gaps. */
import type { ItemOf } from '../../../core/protocol/items';
import type { SeqRange } from '../../../core/protocol/messages';
import type { QueueRecord, Segment } from './queue-files';
import { joinBounds } from './thin-records';

/** A session and chain of a queue. */
export type ChainName = Pick<ItemOf<'gap'>, 'session' | 'chain'>;
type Gap = ItemOf<'gap'>;

export const chainOf = ({ json }: QueueRecord): ChainName & { at: number } => JSON.parse(json);
export const chainKey = ({ session, chain }: ChainName): string => JSON.stringify([session, chain ?? 'main']);

/**
 * Make a gap for each chain that may have lost items, because a damaged line names none. A gap takes the seq of a lost
 * item, so that it keeps the place; chains that the damaged lines seem to name come first. A run with fewer seqs than
 * chains leaves gaps without a place, one per chain.
 * @param lost ranges of seqs. @param chains all chains of the queue, at least one.
 */
export function recordLoss(
  { thinned, invalid }: Pick<Segment, 'thinned' | 'invalid'>,
  records: readonly QueueRecord[],
  lost: readonly SeqRange[],
  chains: readonly ChainName[],
): { placed: Gap[]; others: Gap[] } {
  const placed: Gap[] = [];
  const others = new Map<string, Gap>();
  const likely = chains.filter(({ session, chain }) => {
    const names = [['session', session], ...(chain === undefined ? [] : [['chain', chain]])];
    const parts = names.map(([name, key]) => `"${name}":${JSON.stringify(key)}`);
    return invalid.some((line) => parts.every((part) => line.includes(part)));
  });
  for (const [from, to] of lost) {
    const before = records.findLast(({ seq }) => seq < from);
    const after = records.find(({ seq }) => seq > to);
    const near = [before, after].flatMap((record) => (record ? [chainOf(record)] : []));
    // More items than known may be missing at the end of a cut file, and a lost line may have been a gap.
    const isOpen = thinned || after === undefined;
    const bound = chains.length > 1 ? (isOpen ? 'about' : 'atMost') : isOpen ? 'atLeast' : undefined;
    const byKey = new Map([...likely, ...near, ...chains].map((each) => [chainKey(each), each]));
    for (const [index, { session, chain }] of [...byKey.values()].entries()) {
      const at = near[0]?.at ?? 0;
      const gap: Gap = {
        type: 'gap',
        seq: to - index,
        session,
        at,
        chain,
        from,
        to,
        count: to - from + 1,
        bound,
        reason: REASON,
      };
      if (gap.seq >= from) {
        placed.push(gap);
        continue;
      }
      const key = chainKey(gap);
      const { from: first = from, count = 0, bound: known } = others.get(key) ?? { ...gap, count: 0 };
      others.set(key, { ...gap, from: first, count: count + gap.count, bound: joinBounds(known, bound) });
    }
  }
  return { placed, others: [...others.values()] };
}

const REASON = 'The runner’s queue was damaged.';
