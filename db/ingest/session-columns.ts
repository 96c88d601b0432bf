/** The session row's columns that follow from its items. */
import type { SessionFold } from '../../core/accounting/fold-types';
import { summarizeSession } from '../../core/accounting/summarize-session';
import type { Thresholds } from '../../core/accounting/types';
import { silentAfterMs } from '../../core/forecast/silence';
import { sessionId } from '../../core/identity/session-id';
import type { Item } from '../../core/protocol/items';
import type { LockedSession } from './lock-batch';

/** What session_start items say of a session; a later one's word replaces an earlier one's. */
export interface Description {
  title: string | null;
  host: string | null;
  folder: string | null;
  branch: string | null;
  previousId: string | null;
  forkedFromId: string | null;
}

export function descriptionOf({
  title,
  host,
  folder,
  branch,
  previousId,
  forkedFromId,
}: LockedSession): Description {
  return { title, host, folder, branch, previousId, forkedFromId };
}

export function describe(before: Description, item: Item, project: string): Description {
  if (item.type !== 'session_start') return before;
  return {
    title: item.title ?? before.title,
    host: item.host ?? before.host,
    folder: item.folder ?? before.folder,
    branch: item.branch ?? before.branch,
    previousId: item.previous === undefined ? before.previousId : sessionId(project, item.previous),
    forkedFromId: item.forkedFrom === undefined ? before.forkedFromId : sessionId(project, item.forkedFrom),
  };
}

/** What changes with every batch, folded or not. */
export interface SessionMark {
  owner: number;
  sources: number;
  lastPosition: number;
  chainCount: number;
  recomputeFrom: number | null;
  /** Milliseconds; 0: none. */
  lastActivityAt: number;
  version: number;
}

export function markRow(id: number, mark: SessionMark) {
  return {
    id,
    o: mark.owner,
    so: mark.sources,
    p: mark.lastPosition,
    ch: mark.chainCount,
    rf: mark.recomputeFrom,
    ta: mark.lastActivityAt === 0 ? null : mark.lastActivityAt,
    v: mark.version,
  };
}

export interface FoldedSession {
  state: SessionFold;
  thresholds: Thresholds;
  description: Description;
  /** Milliseconds. */
  startedAt: number;
  endedAt: number | null;
  itemsSinceCheckpoint: number;
}

export function sessionRow(id: number, mark: SessionMark, folded: FoldedSession) {
  const { state, description } = folded;
  const { chains: _chains, ...fold } = state;
  const summary = summarizeSession(state, folded.thresholds);
  return {
    title: description.title,
    host: description.host,
    folder: description.folder,
    branch: description.branch,
    previous_id: description.previousId,
    forked_from_id: description.forkedFromId,
    model: summary.model,
    client: summary.client,
    client_version: summary.clientVersion,
    backfill: summary.backfill,
    fold,
    lens: summary.lens,
    limit_tokens: summary.limit,
    limit_source: summary.limitSource,
    used: summary.used,
    pressure: summary.pressure,
    state: summary.state,
    minutes_left: summary.nextBoundary?.minutes ?? null,
    silent_after_ms: silentAfterMs(summary.forecast),
    turn_count: summary.turnCount,
    started_at: folded.startedAt,
    last_turn_at: summary.lastTurnAtMs,
    ended_at: folded.endedAt,
    items_since_checkpoint: folded.itemsSinceCheckpoint,
    // Last: what follows a spread in a literal is defined name by name, which took longer than the fold.
    ...markRow(id, mark),
  };
}
