/** State and steps of the accounting fold (fold.ts): plain JSON, stored with the session at each batch. */
import type { RecentTrace } from '../api/session';
import type { EventData, EventDetail, EventKind } from '../events/details';
import type { GrowthRecord } from '../forecast/growth-record';
import type { Item, LensName, ReadingBasis } from '../protocol/items';
import type { SourceName } from '../protocol/messages';
import type { BoundaryKind, LimitSource, PressureState, Thresholds, Totals, TurnFlags } from './types';

export interface FoldInput {
  /** Position in the session; ascending between calls. */
  position: number;
  /** Effective time, milliseconds: the runner's, or the server's where the runner's clock was off. */
  at: number;
  clockOff: boolean;
  source: SourceName;
  item: Item;
}

export interface ContextFold {
  index: number;
  /** The boundary it began with; null for context 0. */
  startedBy: BoundaryKind | null;
  startedAt: number | null;
  turnCount: number;
  /** All counted calls of the chain in this context, side scope included. */
  totals: Totals;
  /** Counted main-scope turns only: the cumulative lens. */
  cumulative: { input: number; output: number; cacheRead: number };
  tracked: boolean;
  /** A main turn of this context came without usage: tracking stays off until the next boundary. */
  usageMissed: boolean;
  /** Counted main-scope turns, and the chart time of the last one. */
  mainTurns: number;
  lastMainAt: number | null;
  complete: boolean;
  /** The reading in force; null: unknown. */
  reading: { tokens: number; basis: ReadingBasis; call: string | null } | null;
  /** It began with a compaction whose first real reading has not come yet. */
  awaitsFirstReading: boolean;
  /** By the session's lens. */
  firstOccupancy: number | null;
  lastOccupancy: number | null;
  peakOccupancy: number | null;
}

export interface CompactionMemory {
  position: number;
  trigger: 'auto' | 'manual';
  state: 'pending' | 'confirmed' | 'blocked' | 'failed';
  boundary: string | null;
  /** The best source that reported it: its figures win. */
  source: SourceName;
  at: number;
  /** Whether a main turn of the chain came since, by its own time: two streams may deliver in either order. */
  turnSince: boolean;
  /** The event's detail so far, merged from all reports. */
  detail: EventDetail<'compaction'>;
  /** The occupancy that it was learned at (`compactedAt`); absent: none was known. */
  point?: number;
}

type CompactionArchive = NonNullable<EventDetail<'compaction'>['archive']>;

export interface ArchiveMemory {
  trigger: 'auto' | 'manual' | null;
  at: number;
  /** As the compaction's event will hold it: its state, and whatever else was reported. */
  detail: CompactionArchive;
  /** Ids of the last archives that were reported with one; absent where none was. */
  ids?: readonly string[];
}

/**
 * Usual share of the prompt from the cache, calls it was learned from, the last five calls as bits (1: missed),
 * tokens that missed calls sent uncached, and whether a cache storm is on.
 */
type CacheWatch = [habit: number, calls: number, missed: number, uncached: number, storm: 0 | 1];

export interface ChainFold {
  /** Counted calls so far: the number of the last one. Rows that are no counted call carry it too. */
  turnCount: number;
  context: ContextFold;
  lastKnown: { cumulative: number; snapshot: number | null };
  /** Limits stated by the turns or the client, per model. */
  statedLimits: Record<string, number>;
  learnedLimit: number | null;
  /** Occupancies at which auto compactions were seen, newest last, at most 8. */
  compactedAt: number[];
  limit: { tokens: number | null; source: LimitSource };
  model: string | null;
  /** Running maximum of the effective time: a chart's x. */
  time: number | null;
  /** The last compactions reported, newest last, at most 4: a further report may join one. */
  compactions: CompactionMemory[];
  /** An archive since the last main turn that waits for its compaction; absent where there never was one. */
  archive?: ArchiveMemory | null;
  /** The best basis a real reading of this chain had: lesser ones no longer move the trace. */
  basis: 'total' | 'input' | null;
  /** Growth of the session's lens per turn, `[minutes since the turn before, tokens]`, newest last, at most 24, this context only. */
  growth: Array<[minutes: number, tokens: number]>;
  record: GrowthRecord;
  cache?: CacheWatch;
  /** Contexts in a row that were full again within few turns of their compaction. */
  refills?: number;
}

type TroubleFold = EventData<'thrash' | 'cache_storm'> & {
  at: number;
  context: number;
  turn: number;
};

interface ArchiveFailureFold {
  at: number;
  reason: string | null;
}

export interface SessionFold {
  lens: LensName;
  lensDeclared: boolean;
  sessionLimit: number | null;
  restartLine: number | null;
  compactsAt: number | null;
  client: string | null;
  clientVersion: string | null;
  backfill: boolean;
  started: boolean;
  ended: boolean;
  totals: { main: Totals; side: Totals };
  continuations: number;
  compactions: number;
  /** State after the last turn of the main chain in this context; nominal right after a boundary. */
  lastState: PressureState;
  /** Whether the restart line and the limit were reached since they were last below them. */
  pastRestartLine: boolean;
  /** Where the line was reached: chart time in milliseconds, counted main turns then. Absent or null: below it. */
  restartLinePassed?: { at: number; mainTurns: number } | null;
  trace: RecentTrace;
  /** Current trouble of the main chain: thrash, or a cache storm. */
  trouble?: TroubleFold | null;
  /** The archive that was to be kept last and was not; absent or null: none, or one was kept since. */
  archiveFailure?: ArchiveFailureFold | null;
  lastTurnAt: number | null;
  chains: Record<string, ChainFold>;
}

export interface DerivedTurn {
  chain: string;
  context: number;
  number: number;
  cumulative: { input: number; output: number; cacheRead: number };
  limit: number | null;
  limitSource: LimitSource;
  flags: TurnFlags;
  time: number;
  usedCumulative: number | null;
  usedSnapshot: number | null;
}

export type DerivedEvent<K extends EventKind = EventKind> = EventData<K> & {
  chain: string;
  context: number;
  at: number;
  /** Number of the last turn of its chain before it, or of the turn it belongs to. */
  turn: number;
};

export interface ClosedContext {
  chain: string;
  context: ContextFold;
  endedAt: number;
  endedBy: BoundaryKind;
  limit: number | null;
}

export interface FoldStep {
  turn: DerivedTurn | null;
  /** Events at this position, in order; a report that joins an earlier compaction makes no event of that. */
  events: DerivedEvent[];
  /** An earlier event whose detail this item changed: position of the item that made it, and its new detail. */
  amends: ({ position: number } & EventData<'compaction'>) | null;
  closed: ClosedContext | null;
}

export interface FoldRefusal {
  ok: false;
  code: 'sum_overflow';
  field: string;
  reason: string;
}

export type FoldResult = ({ ok: true } & FoldStep) | FoldRefusal;

export interface FoldContext {
  thresholds: Thresholds;
  /** The best source that reported calls for this session: calls of lesser ones are stored and superseded. */
  owner: SourceName;
}
