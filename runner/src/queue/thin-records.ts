/**
 * What remains of a full queue: one gap per session and chain, with the seq of the last dropped item, replaces turns and
 * readings. Items that start or end contexts stay: without them, later turns would belong to the wrong context.
 */
import { type Item, type ItemOf, itemSchema } from '../../../core/protocol/items';
import type { QueueRecord } from './queue-files';

const DROPPED = new Set<Item['type']>(['turn', 'reading', 'compress', 'archive', 'gap']);
const REASON = 'The runner’s queue was full.';

/** @param records unsettled items in ascending seq. @returns `dropped`: their number, without those of earlier gaps. */
export function thinRecords(records: readonly QueueRecord[]): {
  records: QueueRecord[];
  dropped: number;
} {
  const gaps = new Map<string, ItemOf<'gap'>>();
  const kept: QueueRecord[] = [];
  let dropped = 0;
  const keep = (item: Item) => kept.push({ seq: item.seq, json: JSON.stringify(item) });
  for (const { json } of records) {
    const { data: item } = itemSchema.safeParse(JSON.parse(json));
    if (item === undefined) {
      dropped += 1;
    } else if (!DROPPED.has(item.type)) {
      for (const [name, gap] of gaps) {
        if (gap.session !== item.session) continue;
        keep(gap);
        gaps.delete(name);
      }
      // Without its checkpoint and prompt, which may have 200 000 characters.
      keep(item.type === 'restart' ? { ...item, checkpoint: undefined, prompt: undefined } : item);
    } else {
      if (item.type !== 'gap') dropped += 1;
      addTo(gaps, item);
    }
  }
  for (const gap of gaps.values()) keep(gap);
  return { records: kept.sort((a, b) => a.seq - b.seq), dropped };
}

function addTo(gaps: Map<string, ItemOf<'gap'>>, item: Item): void {
  const { session, at, seq } = item;
  const chain = 'chain' in item ? item.chain : undefined;
  const name = JSON.stringify([session, chain ?? 'main']);
  const { from, count } = item.type === 'gap' ? item : { from: seq, count: 1 };
  const gap = gaps.get(name);
  gaps.set(name, {
    type: 'gap',
    seq,
    session,
    at,
    chain,
    from: Math.min(gap?.from ?? seq, from ?? seq),
    to: seq,
    count: (gap?.count ?? 0) + count,
    reason: REASON,
  });
}
