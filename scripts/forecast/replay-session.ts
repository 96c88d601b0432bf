import { emptySessionFold, foldItem } from '../../core/accounting/fold';
import type { SessionFold } from '../../core/accounting/fold-types';
import { type CompactionOutcome, compactionOutcome } from '../../core/accounting/next-boundary';
import { summarizeSession } from '../../core/accounting/summarize-session';
import { DEFAULT_THRESHOLDS } from '../../core/accounting/thresholds';
import type { BoundaryKind } from '../../core/accounting/types';
import type { TranscriptItem } from '../../core/agents/agent-format';
import { emptyGrowthRecord, type GrowthRecord } from '../../core/forecast/growth-record';
import type { LensName } from '../../core/protocol/items';

export interface Moment {
  at: number;
  used: number;
  left: number;
  lens: LensName;
  record: GrowthRecord;
}

export interface ReplayedContext {
  session: string;
  /** `hand`: a compaction by hand. null: still open at the end of the transcript. */
  endedBy: BoundaryKind | 'hand' | null;
  moments: Moment[];
}

/** What a session showed about its client's compaction point. */
interface Shown extends CompactionOutcome {
  /** Client, version and window. */
  kind: string;
}

const MOST_PEERS = 20;

/**
 * The main chain's contexts, with the server's growth record after each turn.
 * @param earlier what earlier sessions showed, as the server learns it; this session's outcome is added
 */
export function replaySession(
  session: string,
  items: readonly TranscriptItem[],
  earlier: Shown[] = [],
): ReplayedContext[] {
  const state = emptySessionFold();
  const context = { thresholds: DEFAULT_THRESHOLDS };
  let open: ReplayedContext = { session, endedBy: null, moments: [] };
  const contexts = [open];
  items.forEach((item, index) => {
    const input = {
      position: index + 1,
      at: item.at,
      clockOff: false,
      source: 'transcript' as const,
      item: { ...item, seq: index + 1 },
    };
    const turnsBefore = state.chains.main?.context.mainTurns ?? 0;
    const step = foldItem(state, input, context);
    if (!step.ok) return;
    if (step.closed?.chain === 'main') {
      open.endedBy = item.type === 'compaction' && item.trigger === 'manual' ? 'hand' : step.closed.endedBy;
      open = { session, endedBy: null, moments: [] };
      contexts.push(open);
      return;
    }
    if (item.type !== 'turn' || (state.chains.main?.context.mainTurns ?? 0) === turnsBefore) return;
    const kind = kindOf(state);
    const peers = earlier.filter((shown) => shown.kind === kind).slice(-MOST_PEERS);
    const { used, nextBoundary } = summarizeSession(state, DEFAULT_THRESHOLDS, peers);
    const record = structuredClone(state.chains.main?.record ?? emptyGrowthRecord());
    const left = nextBoundary?.left ?? 0;
    open.moments.push({ at: item.at, used: used ?? 0, left, lens: state.lens, record });
  });
  const outcome = compactionOutcome(state);
  if (outcome.compactedAt !== null || outcome.passed !== null)
    earlier.push({ ...outcome, kind: kindOf(state) });
  return contexts.filter(({ moments }) => moments.length > 0);
}

function kindOf({ client, clientVersion, chains }: Readonly<SessionFold>): string {
  return [client, clientVersion, chains.main?.limit.tokens].join(' ');
}
