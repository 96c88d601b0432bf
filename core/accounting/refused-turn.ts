import type { ItemOf } from '../protocol/items';

/**
 * The gap in place of a refused turn, so that the context's sums are marked a lower bound and the loss is
 * shown in its place. Fold and store it where the turn would have stood.
 * @param code why it was refused, as in `sum_overflow`.
 */
export function gapForRefusedTurn(
  refused: { seq: number; session: string; chain?: string | undefined; at: number },
  code: string,
): ItemOf<'gap'> {
  const { seq, session, chain, at } = refused;
  return {
    type: 'gap',
    seq,
    session,
    at,
    ...(chain === undefined ? {} : { chain }),
    from: seq,
    to: seq,
    count: 1,
    reason: `refused: ${code}`,
  };
}
