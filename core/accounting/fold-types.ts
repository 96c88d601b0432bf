/** State and steps of the accounting fold (fold.ts). The state is plain JSON, stored with the session at each batch. */
import type { RecentTrace } from '../api/session';
import type { EventData, EventDetail, EventKind } from '../events/details';
import type { GrowthRecord } from '../forecast/growth-record';
import type { Item, LensName, ReadingBasis } from '../protocol/items';
import type { SourceName } from '../protocol/messages';
import type { Counts } from './counts';
import type { BoundaryKind, LimitSource, PressureState, Thresholds, Totals, TurnFlags } from './types';

export interface FoldInput {
  /** Position in the session; ascending between calls. */
  position: number;
  /** Effective time, milliseconds: the runner's, or the server's if the runner's clock was wrong. */
  at: number;
  clockOff: boolean;
  source: SourceName;
  /** The library reported this call too. */
  byLibrary?: boolean;
  item: Item;
}

export interface ContextFold {
  index: number;
  startedBy: BoundaryKind | null;
  startedAt: number | null;
  turnCount: number;
  /** Totals of all counted calls, with side calls. */
  totals: Totals;
  cumulative: { input: number; output: number; cacheRead: number };
  tracked: boolean;
  /** A main turn had no usage, so tracking stays off until the next boundary. */
  usageMissed: boolean;
  /** Counted main-scope turns. */
  mainTurns: number;
  /** Chart time of the last main turn, or of the last reading that changed the value. */
  lastMainAt: number | null;
  complete: boolean;
  reading: { tokens: number; basis: ReadingBasis } | null;
  /** The last real reading exceeded every known window, and at most twice. */
  beyondWindows?: boolean;
  /** The context started with a compaction and has no real reading yet. */
  awaitsFirstReading: boolean;
  /** First, last and peak occupancy, by the session's lens. */
  firstOccupancy: number | null;
  lastOccupancy: number | null;
  peakOccupancy: number | null;
}

export interface CompactionMemory {
  position: number;
  /** Null: not stated yet, and taken as `auto`. */
  trigger: 'auto' | 'manual' | null;
  state: 'pending' | 'confirmed' | 'blocked' | 'failed';
  boundary: string | null;
  /** The best source that reported the compaction. Lesser sources do not replace its figures. */
  source: SourceName;
  at: number;
  /** A main turn has a later time than the compaction. Times decide, because two streams may deliver in any order. */
  turnSince: boolean;
  /** Chart time of the last main turn or boundary before the compaction. Reports of its hook are never earlier. */
  turnAt?: number | null;
  /** The event's detail so far, merged from all reports. */
  detail: EventDetail<'compaction'>;
  /** The occupancy added to `compactedAt`. Absent: the occupancy was unknown. */
  point?: number;
}

export interface ArchiveMemory {
  trigger: 'auto' | 'manual' | null;
  at: number;
  detail: NonNullable<EventDetail<'compaction'>['archive']>;
  ids?: readonly string[];
}

/** `missed`: the last five calls as bits, 1 for a missed call. `uncached`: uncached tokens of the missed calls. */
type CacheWatch = [habit: number, calls: number, missed: number, uncached: number, storm: 0 | 1];

export interface Limit {
  tokens: number | null;
  source: LimitSource;
  /** Chart time from which the limit applies; null: the limit belongs to one turn. */
  at: number | null;
}

export interface ChainFold {
  /** Number of counted calls so far. Other rows have the number of the last counted call. */
  turnCount: number;
  context: ContextFold;
  lastKnown: { cumulative: number; snapshot: number | null };
  /** The last statements by model. `own`: the runner's own limit. */
  statedLimits: Record<string, Pick<Limit, 'source'> & { tokens: number; own?: true }>;
  /** Corrected limits by model. */
  learned: Record<string, Correction>;
  /** Model and position of the first item of the limit in use. Null: no reading may refute the limit. */
  estimate: { model: string | null; since: number } | null;
  /** Occupancies at automatic compactions, newest last, at most 8. */
  compactedAt: number[];
  /** Largest size that a further main call followed without a compaction, tokens; 0: none. */
  passed: number;
  limit: Limit;
  model: string | null;
  /** Running maximum of the effective time: the x coordinate in charts. */
  time: number | null;
  /** The last 4 compactions, newest last. A further report may belong to one of them. */
  compactions: CompactionMemory[];
  /** An archive that was reported after the last main turn and waits for the report of its compaction. */
  archive?: ArchiveMemory | null;
  /** The best basis of a real reading. Readings with a lesser basis are ignored. */
  basis: 'total' | 'input' | null;
  /** Growth per turn of this context, newest last, at most 24. */
  growth: Array<[minutes: number, tokens: number]>;
  record: GrowthRecord;
  cache?: CacheWatch;
  /** Times of the first and the last main call that another source reported and the library did not. */
  callSpan?: [first: number, last: number];
  /** Time of the last main turn that the library reported. */
  libraryAt?: number;
  /** Number of consecutive contexts that were full again within a few turns. */
  refills?: number;
}

/** A window that a reading proved, the position of its first item, and position and time of the reading. */
export interface Correction {
  chain: string;
  since: number;
  by: number;
  at: number;
  readingTokens: number;
  tokens: number;
  /** Statements of clients up to this many tokens are refuted. */
  refutes?: number;
}

type TroubleFold = EventData<'thrash' | 'cache_storm'> & {
  at: number;
  context: number;
  turn: number;
};

export interface SessionFold {
  lens: LensName;
  /** The source that declared the lens; null: the default. A lesser source does not change the lens. */
  lensSource: SourceName | null;
  sessionLimit: number | null;
  restartLine: number | null;
  compactsAt: number | null;
  client: string | null;
  clientVersion: string | null;
  backfill: boolean;
  started: boolean;
  ended: boolean;
  /** Times of the last start that emitted an event, and of the last end. Both may arrive late. */
  startedAt?: number;
  endedAt?: number;
  /** Source of the last start that emitted an event. */
  startedBy?: SourceName;
  totals: { main: Totals; side: Totals };
  continuations: number;
  compactions: number;
  /** Counted calls that wrote the summary of a compaction. */
  summaryCalls?: number;
  /** Side calls of OTLP since the last sum of compactions' calls, newest last. */
  sideCalls?: { model: string | undefined; counts: Counts }[];
  /** State after the last main-chain turn of this context. */
  lastState: PressureState;
  pastRestartLine: boolean;
  /** Chart time (milliseconds) and number of main turns at the crossing. Absent or null: below the line. */
  restartLinePassed?: { at: number; mainTurns: number } | null;
  trace: RecentTrace;
  trouble?: TroubleFold | null;
  /** The last failed archive, until a later one is stored. */
  archiveFailure?: { at: number; reason: string | null } | null;
  lastTurnAt: number | null;
  /** Latest effective time of the items of all chains. */
  latestAt?: number;
  /** Corrections that begin at later items. */
  corrections?: Correction[];
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
  /** The turn of this item, or the last turn before the item. */
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
  /** New events, in order. A further report of a known compaction emits no event. */
  events: DerivedEvent[];
  /** The new detail of an earlier event, by the position of its item. */
  amends: ({ position: number } & EventData<'compaction'>) | null;
  closed: ClosedContext | null;
  /** The item refuted an estimated limit. Ingest folds again from the limit's first item, with this correction. */
  corrects: Correction | null;
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
  /** The project's own windows by model, tokens. */
  windows?: Readonly<Record<string, number>>;
}
