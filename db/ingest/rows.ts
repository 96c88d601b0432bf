/** Records as rows of a write set, under the short names that write-statements knows. */
import type { ChainFold, ClosedContext, ContextFold } from '../../core/accounting/fold-types';
import type { Bucket } from '../../core/series/pyramid';
import { flagBit, packReportBits } from '../codes/turn-bits';
import { type CallRecord, type DerivedColumns, rawColumns } from './call-row';
import type { EventRecord } from './fold-items';
import { reportCause } from './hash-item';
import type { DeliveryRecord, ReportRecord } from './session-plan';

/** Where a session's rows lie. */
export interface Place {
  id: number;
  month: number;
}

function reported({ facts }: CallRecord, chain: number, model: number | null) {
  return {
    i: facts.usage?.input ?? 0,
    o: facts.usage?.output ?? 0,
    r: facts.usage?.cacheRead ?? 0,
    w: facts.usage?.cacheCreation ?? 0,
    d: facts.contextTokens,
    ch: chain,
    mo: model,
  };
}

function derived(columns: DerivedColumns) {
  return {
    ci: columns.cumulativeInput,
    co: columns.cumulativeOutput,
    cr: columns.cumulativeCacheRead,
    l: columns.limitTokens,
    tc: columns.chartTime,
    n: columns.number,
    c: columns.context,
    b: columns.bits,
  };
}

/** A stored call whose report changed; what follows from it waits for the recomputation. */
export function changedCallRow(place: Place, record: CallRecord, chain: number, model: number | null) {
  const { limitTokens: l, bits: b } = rawColumns(record);
  return { m: place.month, s: place.id, p: record.position, l, b, ...reported(record, chain, model) };
}

export function derivedRow(place: Place, position: number, columns: DerivedColumns) {
  return { m: place.month, s: place.id, p: position, ...derived(columns) };
}

export function reportRow(place: Place, record: ReportRecord) {
  const { seq: _seq, session: _session, at: _at, ...item } = record.item;
  return {
    m: place.month,
    s: place.id,
    p: record.position,
    q: record.seq,
    h: record.hash,
    t: record.streamId,
    tr: record.runnerTime,
    ts: record.serverTime,
    b: packReportBits(record.source, record.clock),
    i: item,
  };
}

/** For an archive notice: what db/transcripts/write-notices.ts reads. */
export function archiveRow(place: Place, { item, streamId, seq, runnerTime }: ReportRecord) {
  if (item.type !== 'archive') return null;
  return {
    s: place.id,
    k: item.session,
    ar: item.archive ?? null,
    v: item.version ?? 'hook',
    a: reportCause(streamId, seq),
    // The copy it speaks of lies with the runner; here is nothing yet.
    st: item.state === 'stored' ? 'announced' : item.state,
    re: item.reason ?? null,
    tr: item.trigger ?? null,
    ta: runnerTime,
    fi: item.path === undefined ? null : baseName(item.path),
    pa: item.path ?? null,
    by: item.bytes ?? null,
    li: item.lines ?? null,
    sh: item.sha256 ?? null,
  };
}

/** The runner may run another system than this server. */
function baseName(path: string): string | null {
  return path.split(/[/\\]/).at(-1) || null;
}

export function deliveryRow(delivery: DeliveryRecord) {
  const { streamId, seq, hash, outcome, refusal, receivedAt } = delivery;
  return { t: streamId, q: seq, h: hash, o: outcome, f: refusal, ts: receivedAt };
}

export function eventRow(place: Place, event: EventRecord, chain: number) {
  return {
    m: place.month,
    s: place.id,
    a: event.cause,
    k: event.kind,
    p: event.position,
    r: event.rank,
    c: chain,
    x: event.context,
    n: event.turn,
    ta: event.at,
    d: event.detail,
  };
}

export function openContextRow(place: Place, chain: number, fold: ChainFold) {
  return contextRow(place, chain, fold.context, null, fold.limit.tokens);
}

export function closedContextRow(place: Place, chain: number, closed: ClosedContext) {
  return contextRow(place, chain, closed.context, closed, closed.limit);
}

function contextRow(
  place: Place,
  chain: number,
  context: ContextFold,
  end: Pick<ClosedContext, 'endedAt' | 'endedBy'> | null,
  limit: number | null,
) {
  const { totals, cumulative } = context;
  return {
    m: place.month,
    s: place.id,
    c: chain,
    x: context.index,
    ta: context.startedAt,
    te: end?.endedAt ?? null,
    e: end?.endedBy ?? null,
    n: context.turnCount,
    i: totals.input,
    o: totals.output,
    r: totals.cacheRead,
    w: totals.cacheCreation,
    k: totals.calls,
    ci: cumulative.input,
    co: cumulative.output,
    cr: cumulative.cacheRead,
    of: context.firstOccupancy,
    ol: context.lastOccupancy,
    op: context.peakOccupancy,
    l: limit,
    tr: context.tracked,
    cp: context.complete,
  };
}

const ESTIMATED = flagBit('estimated');
const UNTRACKED = flagBit('untracked');

export function bucketRow(place: Place, bucket: Bucket) {
  const { cumulative, snapshot } = bucket;
  return {
    m: place.month,
    s: place.id,
    v: bucket.level,
    b: bucket.bucket,
    tf: bucket.firstTime,
    tl: bucket.lastTime,
    c1: cumulative.min,
    c2: cumulative.max,
    c3: cumulative.last,
    s1: snapshot.min,
    s2: snapshot.max,
    s3: snapshot.last,
    i: bucket.input,
    o: bucket.output,
    r: bucket.cacheRead,
    w: bucket.cacheCreation,
    ci: bucket.cumulativeInput,
    co: bucket.cumulativeOutput,
    cr: bucket.cumulativeCacheRead,
    l: bucket.limit,
    n: bucket.turns,
    ln: bucket.lastNumber,
    x: bucket.context,
    f: (bucket.estimated ? ESTIMATED : 0) | (bucket.untracked ? UNTRACKED : 0),
  };
}
