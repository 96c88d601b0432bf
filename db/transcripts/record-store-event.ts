/**
 * Events that the store makes of an archive, not a runner: it went bad at rest, is whole again, was held up, or never
 * came. No item says so, and so no folding of the session makes them or takes them back: their ranks lie beyond all that
 * a folding gives.
 */
import type postgres from 'postgres';
import type { EventKind } from '../../core/api/session';
import type { OwningSession } from './touch-session';

/** The first rank of the store's own events; db/ingest/diff-events.ts leaves them alone. */
export const STORE_RANK = 1_000;
const LAST_RANK = 32_767;

export interface StoreEvent {
  kind: Extract<EventKind, 'archive_damaged' | 'archive_healed' | 'archive_delayed' | 'archive_failed'>;
  /** `transcripts.id` */
  transcriptId: number;
  /** With the archive's own facts. */
  detail: Readonly<Record<string, unknown>>;
}

/**
 * Behind what the session reported so far. Nothing where the session is not known yet: the row says it then.
 * The caller holds the session's lock, and raises its version.
 */
export async function recordStoreEvent(
  tx: postgres.TransactionSql,
  session: OwningSession | null,
  { kind, transcriptId, detail }: StoreEvent,
): Promise<void> {
  if (!session || session.isDeleted) return;
  await tx`
    insert into events (month, session_id, cause, kind, position, rank, chain, context, turn, at, detail)
    select s.month, s.id, gen_random_uuid(), ${kind}, s.last_position,
      least(${LAST_RANK}::int, coalesce(e.rank + 1, ${STORE_RANK}::int)), 0, coalesce(b.context, 0), coalesce(b.turn, 0),
      clock_timestamp(), jsonb_strip_nulls(jsonb_build_object('archive', t.archive, 'version', t.version,
        'trigger', t.trigger, 'path', t.path, 'bytes', t.bytes, 'lines', t.lines, 'sha256', t.sha256))
        || ${tx.json(detail as postgres.JSONValue)}
    from sessions s
    join chains c on c.month = s.month and c.session_id = s.id and c.chain = 0
    join transcripts t on t.id = ${transcriptId}
    left join lateral (
      select max(e.rank) as rank from events e
      where e.month = s.month and e.session_id = s.id and e.position = s.last_position and e.rank >= ${STORE_RANK}
    ) e on true
    left join lateral (
      select e.context, e.turn from events e
      where e.month = s.month and e.session_id = s.id and e.chain = 0 and not e.retracted
      order by e.position desc, e.rank desc limit 1
    ) b on true
    where s.id = ${session.id}`;
}
