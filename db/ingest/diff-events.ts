/** Compares the events that follow from the items with those that are stored, and writes the difference. */
import { isDeepStrictEqual } from 'node:util';
import type postgres from 'postgres';
import type { SessionFold } from '../../core/accounting/fold-types';
import type { EventKind } from '../../core/api/session';
import { STORE_RANK } from '../transcripts/record-store-event';
import type { EventRecord, Folding } from './fold-items';
import { eventRow, type Place } from './rows';
import type { WriteSet } from './write-set';

interface StoredEvent {
  cause: string;
  kind: EventKind;
  position: number;
  rank: number;
  chain: number;
  context: number;
  turn: number;
  at: Date;
  detail: Record<string, unknown>;
  retracted: boolean;
}

export interface FoldedRange {
  /** Items behind this position were folded … */
  after: number;
  /** … as far as this one, inclusive; null: to the end. */
  through: number | null;
}

/**
 * Events that came out as they were stay untouched, others get a higher revision, and those that no longer follow
 * are retracted. `start`: the state the folding began with, whose compactions may have been amended by items that
 * are folded anew.
 */
export async function diffEvents(
  tx: postgres.TransactionSql,
  place: Place,
  range: FoldedRange,
  start: SessionFold,
  folding: Folding,
  chainNumber: (key: string) => number,
  writes: WriteSet,
): Promise<void> {
  const stored = await readEvents(tx, place, range);
  const following = new Set<string>();
  for (const event of folding.events) {
    const name = `${event.cause} ${event.kind}`;
    following.add(name);
    const before = stored.get(name);
    if (!before || !isSame(before, event, chainNumber(event.chainKey))) {
      writes.events.push(eventRow(place, event, chainNumber(event.chainKey)));
    }
  }
  for (const [name, event] of stored) {
    if (following.has(name) || event.retracted) continue;
    writes.retractedEvents.push({
      m: place.month,
      s: place.id,
      a: event.cause,
      k: event.kind,
      p: event.position,
    });
  }
  const details = new Map<string, { position: number; kind: EventKind; detail: Record<string, unknown> }>();
  for (const chain of Object.values(start.chains)) {
    for (const { position, detail } of chain.compactions) {
      details.set(`${position} compaction`, { position, kind: 'compaction', detail });
    }
  }
  for (const [name, amendment] of folding.amends) details.set(name, amendment);
  for (const { position, kind, detail } of details.values()) {
    writes.amendedEvents.push({ m: place.month, s: place.id, p: position, k: kind, d: detail });
  }
}

/** When the session last ended at or before a position, milliseconds; null: it did not. */
export async function readLastEnd(
  tx: postgres.TransactionSql,
  place: Place,
  position: number,
): Promise<number | null> {
  const [row] = await tx<{ at: Date }[]>`
    select at from events
    where month = ${place.month} and session_id = ${place.id} and position <= ${position}
      and kind = 'session_ended' and not retracted
    order by position desc limit 1`;
  return row?.at.getTime() ?? null;
}

async function readEvents(
  tx: postgres.TransactionSql,
  place: Place,
  { after, through }: FoldedRange,
): Promise<Map<string, StoredEvent>> {
  const rows = await tx<StoredEvent[]>`
    select cause, kind, position, rank, chain, context, turn, at, detail, retracted from events
    where month = ${place.month} and session_id = ${place.id} and position > ${after}
      and position <= ${through ?? Number.MAX_SAFE_INTEGER} and rank < ${STORE_RANK}`;
  return new Map(rows.map((row) => [`${row.cause} ${row.kind}`, row]));
}

function isSame(before: StoredEvent, event: EventRecord, chain: number): boolean {
  return (
    !before.retracted &&
    before.position === event.position &&
    before.rank === event.rank &&
    before.chain === chain &&
    before.context === event.context &&
    before.turn === event.turn &&
    before.at.getTime() === event.at &&
    isDeepStrictEqual(before.detail, JSON.parse(JSON.stringify(event.detail)))
  );
}
