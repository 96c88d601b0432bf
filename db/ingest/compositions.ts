/**
 * What contexts are made of, as far as it travels with turns. The newest composition of a chain is shown; a few
 * before it are kept, so that a call which moves to an earlier seq, or is refused after all, leaves the one before it.
 * A composition is known by its call. It enters no sum: the fold never sees it.
 */
import type postgres from 'postgres';
import type { Composition } from '../../core/protocol/items';
import { sourceCode } from '../codes/sources';
import type { Arrival } from './arrivals';
import { toJsonText } from './json-text';
import type { SessionArrivals } from './lock-batch';
import type { Place } from './rows';
import type { SessionPlan } from './session-plan';
import type { WriteSet } from './write-set';

/** Compositions that a chain keeps, the newest by position. */
export const KEPT_COMPOSITIONS = 8;

export interface CompositionReport {
  callKey: string;
  streamId: number;
  seq: number;
  /** Code of the source. */
  source: number;
  /** By the runner's clock, milliseconds. */
  reportedAt: number;
  composition: Composition;
}

/** The report of stored compositions, without what they say. By session id, then call key. */
export type KnownCompositions = Map<number, Map<string, Omit<CompositionReport, 'composition'>>>;

function reportOf({ item, stream, callKey }: Arrival): CompositionReport | null {
  // A side call carries another history than its chain's.
  if (item.type !== 'turn' || item.composition === undefined || item.scope === 'side') return null;
  if (callKey === null) throw new TypeError('a turn has a call key');
  return {
    callKey,
    streamId: stream.streamId,
    seq: item.seq,
    source: sourceCode(stream.source),
    reportedAt: Math.floor(item.at),
    composition: item.composition,
  };
}

/** Stored compositions of the calls that bring one. Without any in the batch it asks nothing. */
export async function readCompositions(
  tx: postgres.TransactionSql,
  groups: readonly SessionArrivals[],
): Promise<KnownCompositions> {
  const known: KnownCompositions = new Map();
  const keys = groups.flatMap(({ session, arrivals }) =>
    arrivals
      .filter((arrival) => reportOf(arrival) !== null)
      .map(({ callKey }) => ({ m: session.month, s: session.id, c: callKey })),
  );
  if (keys.length === 0) return known;
  const rows = await tx<(Omit<CompositionReport, 'composition'> & { sessionId: number })[]>`
    select distinct x.session_id as "sessionId", x.call_key::text as "callKey", x.stream_id as "streamId", x.seq,
      x.source, (extract(epoch from x.runner_time) * 1000)::float8 as "reportedAt"
    from json_to_recordset(${toJsonText(keys)}::text::json) as r (m smallint, s int, c bigint)
    join compositions x on x.month = r.m and x.session_id = r.s and x.call_key = r.c`;
  for (const { sessionId, ...report } of rows) {
    const ofSession = known.get(sessionId) ?? new Map();
    known.set(sessionId, ofSession.set(report.callKey, report));
  }
  return known;
}

/**
 * Puts the composition of an arrival into the plan, where it is the newest report of its call.
 *
 * @returns whether it was
 */
export function noteComposition(plan: SessionPlan, arrival: Arrival, known: KnownCompositions): boolean {
  const report = reportOf(arrival);
  if (!report) return false;
  const before =
    plan.compositions.get(report.callKey) ?? known.get(plan.session.id)?.get(report.callKey) ?? null;
  if (before && !isNewer(report, before)) return false;
  plan.compositions.set(report.callKey, report);
  return true;
}

type Rank = Pick<CompositionReport, 'source' | 'streamId' | 'seq' | 'reportedAt'>;

/** The better source's word stands; in one stream the later seq's; between streams of one source the later time's. */
function isNewer(report: Rank, before: Rank): boolean {
  if (report.source !== before.source) return report.source < before.source;
  if (report.streamId === before.streamId) return report.seq > before.seq;
  return report.reportedAt > before.reportedAt;
}

export function writeCompositions(writes: WriteSet, { session, compositions }: SessionPlan): void {
  for (const report of compositions.values()) {
    writes.compositions.push({
      m: session.month,
      s: session.id,
      k: report.callKey,
      t: report.streamId,
      q: report.seq,
      so: report.source,
      ta: report.reportedAt,
      c: report.composition,
    });
  }
}

/** Once the calls themselves are written: lets go of old ones, and marks the session. */
export function finishCompositions(writes: WriteSet, plans: readonly SessionPlan[]): void {
  for (const { session, compositions } of plans) {
    if (compositions.size === 0) continue;
    writes.oldCompositions.push({ m: session.month, s: session.id, n: KEPT_COMPOSITIONS });
    writes.compositionMarks.push({ s: session.id });
  }
}

/**
 * Moves what is known of the adopted session's calls. Where both sessions hold one of a call, the better source's
 * stands, or else the adopter's.
 *
 * @returns whether there was any
 */
export async function moveCompositions(
  tx: postgres.TransactionSql,
  from: Place,
  to: Place,
): Promise<boolean> {
  const moved = await tx`
    insert into compositions (month, session_id, call_key, stream_id, seq, source, runner_time, composition)
    select ${to.month}::smallint, ${to.id}::int, call_key, stream_id, seq, source, runner_time, composition
    from compositions where month = ${from.month} and session_id = ${from.id}
    on conflict (month, session_id, call_key) do update set stream_id = excluded.stream_id, seq = excluded.seq,
      source = excluded.source, runner_time = excluded.runner_time, composition = excluded.composition
      where excluded.source < compositions.source
    returning 1`;
  await tx`delete from compositions where month = ${from.month} and session_id = ${from.id}`;
  return moved.length > 0;
}
