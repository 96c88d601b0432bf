/**
 * Session events that the server itself creates: an archive was damaged, repaired, or never completed. These events
 * have no item, and recomputing a session must not change them, so their ranks begin above all others.
 */
import type postgres from 'postgres';
import type { EventData } from '../../core/events/details';
import type { OwningSession } from './change-transcript';

/** The first rank of these events. db/ingest/refold.ts does not change them. */
export const STORE_RANK = 1_000;
const LAST_RANK = 32_767;

export type StoreEvent = EventData<'archive_damaged' | 'archive_healed' | 'archive_failed'> & {
  transcriptId: number;
};

/**
 * Add an event after all events reported so far. Does nothing while the session is unknown. The caller holds the
 * session's lock and raises its version.
 */
export async function recordStoreEvent(
  tx: postgres.TransactionSql,
  session: OwningSession | null,
  { kind, transcriptId, detail }: StoreEvent,
): Promise<void> {
  if (!session || session.isDeleted) return;
  await tx`
    insert into events (session_id, cause, kind, position, rank, chain, context, turn, at, detail)
    select s.id, gen_random_uuid(), ${kind}, s.last_position,
      least(${LAST_RANK}::int, coalesce(e.rank + 1, ${STORE_RANK}::int)), 0, coalesce(b.context, 0), coalesce(b.turn, 0),
      clock_timestamp(), jsonb_strip_nulls(jsonb_build_object('archive', t.archive, 'version', t.version,
        'trigger', t.trigger, 'path', t.path, 'bytes', t.bytes, 'lines', t.lines, 'sha256', t.sha256))
        || ${tx.json(detail as postgres.JSONValue)}
    from sessions s
    join chains c on c.session_id = s.id and c.chain = 0
    join transcripts t on t.id = ${transcriptId}
    left join lateral (
      select max(e.rank) as rank from events e
      where e.session_id = s.id and e.position = s.last_position and e.rank >= ${STORE_RANK}
    ) e on true
    left join lateral (
      select e.context, e.turn from events e
      where e.session_id = s.id and e.chain = 0 and not e.retracted
      order by e.position desc, e.rank desc limit 1
    ) b on true
    where s.id = ${session.id}`;
}
