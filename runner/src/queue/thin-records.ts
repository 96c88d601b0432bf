/**
 * What remains of a stretch of the queue that must make room. Turns and readings go; in their place stands a
 * gap for every session and chain, under the seq of the last one dropped, so that the order of the stream
 * still tells in which context something is missing. What begins and ends contexts is kept: it is small, and
 * without it later turns would land in the wrong context.
 */
import { type Item, itemSchema } from '../../../core/protocol/items';
import type { QueueRecord } from './segment';

const DROPPED = new Set<Item['type']>(['turn', 'reading', 'compress', 'archive', 'gap']);
const REASON = 'The runner’s queue was full.';

interface OpenGap {
  session: string;
  chain: string | undefined;
  at: number;
  from: number;
  to: number;
  count: number;
}

export interface Thinned {
  records: QueueRecord[];
  /** Items that are no longer in the queue; those an earlier gap stood for are not counted again. */
  dropped: number;
}

/**
 * @param records unsettled items in ascending seq.
 * @param keepLifecycle false: everything goes, for a queue that is full of lifecycle items.
 */
export function thinRecords(records: readonly QueueRecord[], keepLifecycle: boolean): Thinned {
  const open = new Map<string, OpenGap>();
  const kept: QueueRecord[] = [];
  let dropped = 0;
  const close = (gap: OpenGap) => kept.push(toRecord(gap));

  for (const record of records) {
    const item = readItem(record);
    if (!item) {
      dropped += 1;
    } else if (keepLifecycle && !DROPPED.has(item.type)) {
      for (const [name, gap] of open) {
        if (gap.session !== item.session) continue;
        close(gap);
        open.delete(name);
      }
      kept.push(withoutText(record, item));
    } else {
      if (item.type !== 'gap') dropped += 1;
      addTo(open, item);
    }
  }
  for (const gap of open.values()) close(gap);
  kept.sort((a, b) => a.seq - b.seq);
  return { records: kept, dropped };
}

function readItem(record: QueueRecord): Item | null {
  const parsed = itemSchema.safeParse(JSON.parse(record.json));
  return parsed.success ? parsed.data : null;
}

function addTo(open: Map<string, OpenGap>, item: Item): void {
  const chain = 'chain' in item ? item.chain : undefined;
  const name = JSON.stringify([item.session, chain ?? 'main']);
  const gap = open.get(name) ?? {
    session: item.session,
    chain,
    at: item.at,
    from: item.seq,
    to: 0,
    count: 0,
  };
  gap.from = Math.min(gap.from, item.type === 'gap' ? (item.from ?? item.seq) : item.seq);
  gap.to = item.seq;
  gap.at = item.at;
  gap.count += item.type === 'gap' ? item.count : 1;
  open.set(name, gap);
}

function toRecord({ session, chain, at, from, to, count }: OpenGap): QueueRecord {
  const item = { type: 'gap', seq: to, session, at, chain, from, to, count, reason: REASON };
  return { seq: to, json: JSON.stringify(item), settled: false };
}

/** Checkpoint and prompt may be 200 000 characters long; a full queue keeps the restart and lets the texts go. */
function withoutText(record: QueueRecord, item: Item): QueueRecord {
  if (item.type !== 'restart' || (item.checkpoint ?? item.prompt) === undefined) return record;
  const { checkpoint: _checkpoint, prompt: _prompt, ...rest } = item;
  return { seq: record.seq, json: JSON.stringify(rest), settled: false };
}
