/** Collects the rows of a batch and writes them with one statement per kind of change. */
import type postgres from 'postgres';
import type { FoldContext } from '../../core/accounting/fold-types';
import { toRanges } from '../../core/protocol/ranges';
import { type CheckedEvent, deriveAlerts, eventKey, type SessionCheck } from '../alerts/derive-alerts';
import type { RuleBook } from '../alerts/rule-book';
import { formatRanges } from '../codes/seq-ranges';
import { groupBy } from '../group-by';
import { judgeFault } from '../judge-fault';
import * as schema from '../schema';
import {
  deleteFrom,
  insertInto,
  type Name,
  otherNames,
  type Row,
  recordset,
  statement,
  update,
  upsertInto,
  type Write,
} from '../tables';
import { commitBehind } from '../transact';
import { type Notice, writeNotices } from '../transcripts/write-notices';
import {
  type Arrival,
  arrivalsOf,
  DELIVERY_OUTCOME,
  deliveryKey,
  type ItemOutcome,
  type PlacedItem,
  type Refused,
  type Reported,
  type SessionPlan,
} from './types';

const PLACE = ['sessionId', 'position'] as const;

const ONLY_DERIVED = [
  'cumulativeInput',
  'cumulativeOutput',
  'cumulativeCacheRead',
  'chartTime',
  'number',
  'context',
] as const satisfies Name<typeof schema.turns>[];

/** Columns of a turn that the fold computes. A report of the call also writes the limit and the bits. */
export const DERIVED = [...ONLY_DERIVED, 'limitTokens', 'bits'] as const;
const ARRIVAL = ['seq', 'runnerTime', 'serverTime', 'callKey', 'streamId'] as const;
/** Columns of a turn that are written whenever a source reports the call. */
const REPORTED = otherNames(schema.turns, [...PLACE, ...ARRIVAL, ...ONLY_DERIVED]);

const MARK = [
  'projectId',
  'projectRank',
  'runnerId',
  'sources',
  'lastPosition',
  'chainCount',
  'recomputeFrom',
  'lastActivityAt',
  'version',
] as const satisfies Name<typeof schema.sessions>[];

/** Columns of a session that its items change. */
const FOLDED = otherNames(schema.sessions, [
  'id',
  'publicId',
  'key',
  'deletedAt',
  'retired',
  'adoptedBy',
  'compositionVersion',
  'notesVersion',
  'changedAt',
]);

const NOW = 'changed_at = clock_timestamp()';

/** Writers in the order in which they run. */
const WRITERS = {
  // Delete moved calls first, which frees their keys.
  removedTurns: deleteFrom(schema.turns, PLACE),
  turns: insertInto(schema.turns),
  /** Update reported columns after an amendment. */
  changedTurns: update(schema.turns, PLACE, REPORTED),
  /** Update columns of the fold after a refold. */
  derivedTurns: update(schema.turns, PLACE, DERIVED),
  removedRefutedLimits: deleteFrom(schema.refutedLimits, ['sessionId', 'callKey']),
  refutedLimits: upsertInto(schema.refutedLimits),
  reports: insertInto(schema.reports),
  /** Change the key in the older aliases of a merged call. This statement scans all aliases of the session. */
  followedAliases: statement<Row<typeof schema.callAliases>>(`
    update call_aliases x set call_key = r."callKey" from ${recordset(schema.callAliases)}
    where x.session_id = r."sessionId" and x.call_key = r.alias`),
  aliases: insertInto(schema.callAliases),
  /** Aliases that may have a row: "on conflict" doubles the cost of a row. */
  oldAliases: upsertInto(schema.callAliases),
  deliveries: insertInto(schema.deliveries, undefined, 'do nothing'),
  received: statement<{ streamId: number; ranges: string }>(`
    update streams x set received = x.received + r.ranges::int8multirange, last_seen_at = now()
    from records ("streamId" int, ranges text) where x.id = r."streamId"`),
  maxSeqs: insertInto(
    schema.sessionStreams,
    undefined,
    '(session_id, stream_id) do update set max_seq = greatest(session_streams.max_seq, excluded.max_seq)',
  ),
  chains: upsertInto(schema.chains),
  removedChains: deleteFrom(schema.chains, ['sessionId', 'chain']),
  /** Delete contexts after the last one of their chain, when a refold finds fewer boundaries. */
  removedContexts: deleteFrom(schema.contexts, ['sessionId', 'chain'], 'index', 'x.index > r.index'),
  contexts: upsertInto(schema.contexts),
  events: upsertInto(schema.events, otherNames(schema.events, ['revision', 'retracted']), [
    'revision = events.revision + 1',
    'retracted = false',
  ]),
  amendedEvents: statement<EventAmendment>(`
    update events x set detail = r.detail, revision = x.revision + 1 from ${recordset(schema.events, ['sessionId', 'position', 'kind', 'detail'])}
    where x.session_id = r."sessionId" and x.position = r.position and x.kind = r.kind and not x.retracted
      and x.detail is distinct from r.detail`),
  retractedEvents: statement<{ sessionId: number; position: number; cause: string; kind: string }>(`
    update events x set retracted = true, revision = x.revision + 1 from ${recordset(schema.events, ['sessionId', 'cause', 'kind'])}
    where x.session_id = r."sessionId" and x.cause = r.cause and x.kind = r.kind and not x.retracted`),
  /** Delete checkpoints from a position on; with `near`, also the earlier `near` checkpoint. */
  removedCheckpoints: statement<{ sessionId: number; position: number; near: boolean }>(`
    delete from checkpoints x using ${recordset(schema.checkpoints, [...PLACE, 'near'])}
    where x.session_id = r."sessionId" and (x.position >= r.position or (r.near and x.near))`),
  checkpoints: insertInto(
    schema.checkpoints,
    undefined,
    `(session_id, position) do update set fold = excluded.fold, edge = excluded.edge,
      near = checkpoints.near and excluded.near`,
  ),
  removedEdges: statement<{ sessionId: number }>(`
    update checkpoints x set edge = null from records ("sessionId" bigint) where x.session_id = r."sessionId" and x.edge is not null`),
  /** Delete buckets that contain a turn after this number; 0: all buckets. */
  removedBuckets: deleteFrom(schema.pyramid, ['sessionId'], 'lastNumber', 'x.last_number > r."lastNumber"'),
  buckets: upsertInto(schema.pyramid),
  archives: writeNotices as Write<Notice>,
  /** A result is final. Another session's command is not changed. */
  commands: statement<CommandReport>(`
    update commands x set state = r.state, refusal = r.refusal, changed_at = now()
    from (select distinct on (id) * from ${recordset(schema.commands, ['id', 'sessionId', 'state', 'refusal'])} order by id, state = 'received') r
    where x.id = r.id and x.session_id = r."sessionId" and x.state in ('sent', 'received')
      and (r.state <> 'received' or x.state = 'sent')`),
  compositions: upsertInto(schema.compositions),
  /** Delete all but the newest compositions of each chain, and compositions without a call. */
  oldCompositions: statement<{ sessionId: number; kept: number }>(`
    with ranked as (
      select x.session_id, x.call_key, r.kept, t.position is null as is_lost,
        row_number() over (partition by x.session_id, t.chain order by t.position desc) as rank
      from records ("sessionId" bigint, kept int) join compositions x on x.session_id = r."sessionId"
      left join turns t on t.session_id = x.session_id and t.call_key = x.call_key
    )
    delete from compositions x using ranked o
    where x.session_id = o.session_id and x.call_key = o.call_key and (o.is_lost or o.rank > o.kept)`),
  sessions: update(schema.sessions, ['id'], FOLDED, [NOW]),
  marks: update(schema.sessions, ['id'], MARK, [NOW]),
  compositionMarks: statement<{ sessionId: number }>(`
    update sessions x set composition_version = x.version from records ("sessionId" bigint) where x.id = r."sessionId"`),
  /** Inserts only, so that a batch never waits for the roll-up. */
  historyChanges: insertInto(schema.historyChanges),
} satisfies Record<string, Write<never>>;

interface CommandReport {
  id: string;
  sessionId: number;
  state: string;
  refusal: string | null;
}

export interface EventAmendment {
  sessionId: number;
  position: number;
  kind: string;
  detail: object;
}

type Writers = typeof WRITERS;
type RowsOf<W> = W extends Write<infer R> ? R[] : never;

export type WriteSet = { [K in keyof Writers]: RowsOf<Writers[K]> } & {
  /** Sessions with new figures, for alerts. */
  checks: Omit<SessionCheck, 'events' | 'retracted'>[];
};

const KINDS = Object.keys(WRITERS) as (keyof Writers)[];

export function newWriteSet(): WriteSet {
  return Object.fromEntries([...KINDS, 'checks'].map((kind) => [kind, []])) as unknown as WriteSet;
}

export function moveWrites(from: WriteSet, to: WriteSet): void {
  for (const kind of [...KINDS, 'checks'] as const) to[kind].push(...(from[kind] as never[]));
}

const IN_HISTORY = [
  'removedTurns',
  'turns',
  'changedTurns',
  'derivedTurns',
  'reports',
  'events',
  'amendedEvents',
  'retractedEvents',
  'historyChanges',
] as const satisfies (keyof WriteSet)[];

/** The rules that apply to the written sessions, and the server's time in milliseconds. */
export interface Alerting {
  book: RuleBook;
  now: number;
  /** Find the rows of items that the database refuses, with one savepoint per attempt. */
  findsPoison?: boolean;
}

/** The database refuses rows of items. */
export class PoisonFound extends Error {
  override readonly name = 'PoisonFound';
  /** @param faults by delivery key */
  constructor(readonly faults: ReadonlyMap<string, unknown>) {
    super('The database refuses items of the batch.');
  }
}

type ItemRow = Pick<Reported, 'streamId' | 'seq'>;

/** Write rows, and halve them after a refusal. @returns the refused rows */
async function writeSound(
  tx: postgres.TransactionSql,
  write: Write<ItemRow>,
  rows: readonly ItemRow[],
): Promise<[key: string, fault: unknown][]> {
  try {
    await tx.savepoint((inner) => write(inner, rows));
    return [];
  } catch (error) {
    if (judgeFault(error) !== 'data') throw error;
    const [row] = rows;
    if (row && rows.length === 1) return [[deliveryKey(row.streamId, row.seq), error]];
  }
  const middle = Math.ceil(rows.length / 2);
  const first = await writeSound(tx, write, rows.slice(0, middle));
  return [...first, ...(await writeSound(tx, write, rows.slice(middle)))];
}

/** Send the rows, and do not wait until they are written. */
export async function flushWrites(
  tx: postgres.TransactionSql,
  set: WriteSet,
  alerting?: Alerting,
): Promise<void> {
  // The lowest position that was written in each session.
  const lowest = new Map<number, number>();
  for (const kind of IN_HISTORY) {
    for (const { sessionId, position } of set[kind]) {
      if (position < (lowest.get(sessionId) ?? Number.POSITIVE_INFINITY)) lowest.set(sessionId, position);
    }
  }
  set.historyChanges = [...lowest].map(([sessionId, position]) => ({ sessionId, position }));
  const kinds = KINDS.filter((kind) => set[kind].length > 0);
  const checks = takeChecks(set, alerting);
  if (alerting?.findsPoison) {
    const faults = new Map<string, unknown>();
    for (const kind of ['removedTurns', 'turns', 'reports'] as const) {
      const found = await writeSound(
        tx,
        WRITERS[kind] as unknown as Write<ItemRow>,
        set[kind].splice(0) as never[],
      );
      for (const [key, fault] of found) faults.set(key, fault);
    }
    if (faults.size > 0) throw new PoisonFound(faults);
  }
  const written = Promise.all(
    kinds.map((kind) => (WRITERS[kind] as Write<unknown>)(tx, set[kind].splice(0))),
  );
  await commitBehind(tx, written);
  if (alerting && checks.length > 0) await deriveAlerts(tx, alerting.book, checks, alerting.now);
}

/** The sessions to check for alerts, with their new, amended and retracted events. */
function takeChecks(set: WriteSet, alerting: Alerting | undefined): SessionCheck[] {
  const checks = set.checks.splice(0);
  if (!alerting || alerting.book.rules.length === 0) return [];
  const events = groupBy(
    [...set.events, ...set.amendedEvents.map((event) => ({ ...event, at: null }))],
    ({ sessionId }) => sessionId,
  );
  const retracted = groupBy(set.retractedEvents, ({ sessionId }) => sessionId);
  return checks.map((check) => ({
    ...check,
    events: (events.get(check.sessionId) ?? []) as unknown as CheckedEvent[],
    retracted: (retracted.get(check.sessionId) ?? []).map(eventKey),
  }));
}

/** Store the outcome of a delivery that has no row. */
export function noteDelivery(
  writes: Pick<WriteSet, 'deliveries'>,
  { streamId, seq, hash, serverTime: receivedAt }: Reported,
  outcome: number,
  refusal: Refused | null = null,
): void {
  writes.deliveries.push({ streamId, seq, hash, outcome, refusal, receivedAt });
}

/** State shared by the steps of one transaction. */
export interface Batch {
  tx: postgres.TransactionSql;
  arrivals: readonly Arrival[];
  models: ReadonlyMap<string, number>;
  /** Outcomes of resent deliveries that have no row, by delivery key and hash. Null: the item was not refused. */
  resent: ReadonlyMap<string, Refused | null>;
  settled: Map<string, { hash: string; outcome: ItemOutcome }>;
  outcomes: Map<Arrival, ItemOutcome>;
  /** By project. */
  contexts: ReadonlyMap<number, FoldContext>;
  /** Whether a rule needs the figures after each item. */
  keepsFigures: boolean;
  writes: WriteSet;
}

/** Refuse an item that makes a sum overflow. */
export function refusePlaced(batch: Batch, placed: PlacedItem, refused: Refused): void {
  for (const arrival of arrivalsOf(placed)) batch.outcomes.set(arrival, refuse(batch, arrival, refused));
}

/** Refuse an item and store the reason, so that a resend gets the same answer. */
export function refuse(batch: Batch, arrival: Arrival, refused: Refused): ItemOutcome {
  noteDelivery(batch.writes, arrival, DELIVERY_OUTCOME.refused, refused);
  return { outcome: 'refused', ...refused };
}

/** Mark every seq of the batch as received, also of refused items. Add each session's aliases, highest seqs and compositions. */
export function writeSeqs({ arrivals, writes }: Batch, plans: readonly SessionPlan[]): void {
  const fresh = arrivals.filter(({ isResent }) => !isResent);
  for (const [streamId, own] of groupBy(fresh, ({ streamId }) => streamId)) {
    writes.received.push({ streamId, ranges: formatRanges(toRanges(own.map(({ seq }) => seq))) });
  }
  for (const { session, next, maxSeq, compositions, newAliases, oldAliases, moved } of plans) {
    const sessionId = session.id;
    // History is stored by runner, and each runner belongs to one project.
    if (next.runnerId !== session.runnerId) writes.historyChanges.push({ sessionId, position: 0 });
    for (const [alias, callKey] of newAliases) {
      writes[oldAliases.has(alias) ? 'oldAliases' : 'aliases'].push({ sessionId, alias, callKey });
      if (moved.has(alias)) writes.followedAliases.push({ sessionId, alias, callKey });
    }
    for (const [streamId, seq] of maxSeq) writes.maxSeqs.push({ sessionId, streamId, maxSeq: seq });
    for (const report of compositions.values()) writes.compositions.push({ ...report, sessionId });
  }
}
