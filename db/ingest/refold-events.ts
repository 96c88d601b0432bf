/** The events of a session that was folded again, compared with those that are stored. */
import { isDeepStrictEqual } from 'node:util';
import type postgres from 'postgres';
import type { SessionFold } from '../../core/accounting/fold-types';
import { events } from '../schema/events';
import { type Row, selectColumns } from '../tables';
import { STORE_RANK } from '../transcripts/record-store-event';
import { type EventRecord, eventRow, type Folding } from './fold';
import type { EventAmendment, WriteSet } from './write';

type EventRow = Row<typeof events>;

export interface FoldedRange {
  /** Items behind this position were folded … */
  after: number;
  /** … as far as this one, inclusive; null: to the end. */
  through: number | null;
}

/**
 * Write the difference: unchanged events stay untouched, others get a higher revision, and those that no longer follow
 * are retracted.
 *
 * @param start the state the folding began with, whose compactions may be amended by items that are folded again
 */
export async function writeEventChanges(
  tx: postgres.TransactionSql,
  sessionId: number,
  range: FoldedRange,
  start: SessionFold,
  folding: Folding,
  numberOf: (chain: string) => number,
  writes: WriteSet,
): Promise<void> {
  const stored = await readEvents(tx, sessionId, range);
  const following = new Set<string>();
  for (const event of folding.events) {
    const name = nameOf(event);
    following.add(name);
    const row = eventRow(sessionId, event, numberOf);
    const before = stored.get(name);
    if (!before || !isSame(before, row)) writes.events.push(row);
  }
  for (const [name, { position, cause, kind, retracted }] of stored) {
    if (following.has(name) || retracted) continue;
    writes.retractedEvents.push({ sessionId, position, cause, kind });
  }
  const amendments = new Map<string, EventAmendment>();
  for (const chain of Object.values(start.chains)) {
    for (const { position, detail } of chain.compactions) {
      amendments.set(`${position} compaction`, { position, kind: 'compaction', detail });
    }
  }
  for (const [name, amendment] of folding.amends) amendments.set(name, amendment);
  for (const amendment of amendments.values()) writes.amendedEvents.push({ sessionId, ...amendment });
}

const nameOf = ({ cause, kind }: Pick<EventRecord, 'cause'> & { kind: string }) => `${cause} ${kind}`;

async function readEvents(
  tx: postgres.TransactionSql,
  sessionId: number,
  { after, through }: FoldedRange,
): Promise<Map<string, EventRow>> {
  const rows = await tx<EventRow[]>`
    select ${selectColumns(tx, events, 'e')} from events e
    where session_id = ${sessionId} and position > ${after}
      and position <= ${through ?? Number.MAX_SAFE_INTEGER} and rank < ${STORE_RANK}`;
  return new Map(rows.map((row) => [nameOf(row), row]));
}

function isSame(before: EventRow, after: WriteSet['events'][number]): boolean {
  return (
    !before.retracted &&
    before.position === after.position &&
    before.rank === after.rank &&
    before.chain === after.chain &&
    before.context === after.context &&
    before.turn === after.turn &&
    before.at === after.at &&
    isDeepStrictEqual(before.detail, JSON.parse(JSON.stringify(after.detail)))
  );
}
