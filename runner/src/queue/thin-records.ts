/** Makes room in a full queue. */
import type { Item, ItemOf } from '../../../core/protocol/items';
import { parseItem } from '../../../core/protocol/parse-item';
import type { QueueRecord } from './queue-files';

const DROPPED = new Set<Item['type']>(['turn', 'reading', 'compress', 'archive', 'gap']);
const REASON = 'The runner’s queue was full.';

/**
 * Replace items of the `DROPPED` types by gaps: one per session and chain, up to the session's next kept item.
 * @param records unsettled items in ascending seq. @returns `dropped`: number of newly dropped items.
 */
export function thinRecords(records: readonly QueueRecord[]): {
  records: QueueRecord[];
  dropped: number;
} {
  const gaps = new Map<string, ItemOf<'gap'>>();
  const kept: QueueRecord[] = [];
  let dropped = 0;
  const keep = (item: Item) => kept.push({ seq: item.seq, json: JSON.stringify(item) });
  for (const { json } of records) {
    const parsed = parseItem(JSON.parse(json));
    if (!parsed.ok) {
      dropped += 1;
      continue;
    }
    const { item } = parsed;
    if (!DROPPED.has(item.type)) {
      for (const [name, gap] of gaps) {
        if (gap.session !== item.session) continue;
        keep(gap);
        gaps.delete(name);
      }
      // Drop the checkpoint and the prompt, which may have 200 000 characters.
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
  const { from, count, bound } = item.type === 'gap' ? item : { from: seq, count: 1 };
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
    bound: joinBounds(gap?.bound, bound),
    reason: REASON,
  });
}

type Bound = ItemOf<'gap'>['bound'];

/** The bound of a sum of two counts. */
export function joinBounds(a: Bound, b: Bound): Bound {
  return a === b || b === undefined ? a : a === undefined ? b : 'about';
}
