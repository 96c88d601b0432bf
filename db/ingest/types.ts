/** Shapes that the steps of ingest share. Times are milliseconds. */

import { MAIN_CHAIN } from '../../core/accounting/empty-fold';
import type { ChainFold } from '../../core/accounting/fold-types';
import type { CompactionOutcome } from '../../core/accounting/next-boundary';
import { type EffectiveTime, effectiveTime } from '../../core/identity/clock';
import type { Composition, Item, TurnItem, Usage } from '../../core/protocol/items';
import type { RefusalCode, SeqRange, SourceName } from '../../core/protocol/messages';
import type { compositions } from '../schema/chains';
import type { sessions } from '../schema/sessions';
import type { Row } from '../tables';

/** An open stream. Its project, runner and client never change. */
export interface OpenStream {
  streamId: number;
  /** The random id that the runner gave the stream. */
  stream: string;
  projectId: number;
  project: string;
  /** Reliability of the project of a client's sessions: 1 is best. 0: project and key identify the sessions. */
  projectRank: number;
  client: string | null;
  runnerId: number;
  source: SourceName;
  /** Name of the stream's token, if the token may only write the stream's project. */
  boundBy?: string;
  /** Name of the token that sends over this connection. Deliveries of senders take turns. */
  sender?: string;
  charge?(cost: StoreCost, amount: number): void;
  /** Seqs that were settled when the stream was opened. */
  received: SeqRange[];
  /** Its received seqs have so many holes that each write takes long. */
  isCostly?: boolean;
}

/** What a delivery can cost besides its bytes and items (server/http/budgets.ts). */
export type StoreCost = 'SESSIONS' | 'SUB_AGENTS' | 'LATE_TURNS' | 'STREAMS' | 'PROJECTS';

/** Key by which deliveries take turns: the token, else the stream. */
export function senderOf({ sender, stream }: OpenStream): string {
  return sender ?? stream;
}

/** Validated items of one stream that arrived together, in order. */
export interface Delivery {
  stream: OpenStream;
  items: readonly Item[];
  receivedAt: number;
  /** The clocks agreed at the hello, so the time of an old item is correct. Default false. */
  clockAgrees?: boolean;
}

export interface Refused {
  code: RefusalCode;
  field: string;
  reason: string;
}

/** `amended`: a stored call was updated. `unchanged`: the same stream repeated a call. */
export type ItemOutcome =
  | { outcome: 'stored' | 'duplicate' | 'amended' | 'unchanged' }
  | ({ outcome: 'refused' } & Refused);

export type LockedSession = Row<typeof sessions> & { peers: CompactionOutcome[] };
export type TouchedSession = Pick<LockedSession, 'id' | 'publicId' | 'version'>;

export interface Recorded {
  /** Outcomes of each delivery; empty for a deferred one. */
  outcomes: ItemOutcome[][];
  /** Indexes of deliveries that were left out, because their sender has an invalid item or opens an old month. */
  deferred?: ReadonlySet<number>;
  touched: TouchedSession[];
}

type TurnFields = Omit<TurnItem, 'type' | 'session' | 'composition'>;

/** A turn or reading in normal form (columns.ts), equal for an item and its stored row. */
export type Call = { [K in keyof Required<Omit<TurnFields, 'call'>>]: TurnFields[K] } & {
  /** The call key of the call's id. */
  call: string | undefined;
  type: 'turn' | 'reading';
  /** The fold never reads the session's key. */
  session: '-';
  chain: string;
  scope: 'main' | 'side';
  usage: Usage | null;
  inherited: boolean;
};

/** How a report arrived. */
export interface Reported {
  streamId: number;
  seq: number;
  hash: string;
  /** Code of the source. */
  source: number;
  runnerTime: number;
  serverTime: number;
  clockAgrees: boolean;
}

interface Place {
  /** 0 until the item is placed. */
  position: number;
  /** Arrivals merged into this item. Empty for a stored item, and for an item that is itself the only arrival. */
  arrivals: readonly Arrival[];
}

export type PlacedCall = Reported &
  Place & {
    callKey: string;
    item: Call;
    /** Packed sources of the figures (columns.ts). */
    figures: number;
    /** The stored call has a row in `refuted_limits`. */
    isRefuted?: boolean;
  };
export type PlacedReport = Reported & Place & { callKey: null; item: Item };
/** An item with a position, new or read from its row. */
export type PlacedItem = PlacedCall | PlacedReport;

/** An item of the batch, with its keys. */
export type Arrival = PlacedItem & {
  stream: OpenStream;
  /** Call keys of the call's second and further ids. */
  otherKeys: readonly string[];
  /** Stream and seq. */
  key: string;
  session: string;
  publicId: string;
  /** Absent for side calls, because their prompt is not the chain's history. */
  composition: Composition | undefined;
  /** The item's seq was settled before this batch. */
  isResent: boolean;
  /** The database's reason for refusing the item in an earlier attempt, or that its token may not write the session. */
  refusal?: Refused;
};

/** Arrivals that an item settles. Empty for a stored item. */
export function arrivalsOf(placed: PlacedItem): readonly Arrival[] {
  return placed.arrivals.length === 0 && 'stream' in placed ? [placed as Arrival] : placed.arrivals;
}

export function chainOf(item: Item | Call): string {
  return ('chain' in item && item.chain) || MAIN_CHAIN;
}

export interface StoredChain {
  chain: number;
  key: string;
  fold: ChainFold;
}

export const DELIVERY_OUTCOME = { duplicate: 0, amendment: 1, refused: 2 } as const;

/** Number of newest compositions kept per chain. Older compositions are needed when a call moves or is refused. */
export const KEPT_COMPOSITIONS = 8;

/** A composition with the call that reported it. Compositions do not enter sums. */
type CompositionReport = Omit<Row<typeof compositions>, 'sessionId'>;
export type CompositionRank = Omit<CompositionReport, 'composition'>;

/** Sessions that already have the client ids of a batch, by client session id. */
export type Holders = Map<string, { id: number; client: string }[]>;

/** Distance between two positions. Late items may halve it twenty times. */
export const STRIDE = 2 ** 20;

/** Highest number of a chain, and of a context in its chain: both are smallint columns. */
export const MAX_NUMBER = 32_767;

/** The arrivals of one session, its stored rows, and the changes to it. */
export class SessionPlan {
  /** Chains of the arrivals by key. `fold` is null if the chain has no row yet. */
  readonly chains = new Map<string, Omit<StoredChain, 'fold'> & { fold: ChainFold | null }>();
  readonly calls = new Map<string, PlacedCall>();
  /** Maps the key of each further id of a call to the key of that call. */
  readonly aliases = new Map<string, string>();
  /** Keys of calls that a report of another source without a common id may repeat, in order. */
  readonly candidates: string[] = [];
  /** Index in `candidates` just after the last match, by source. */
  readonly matched = new Map<number, number>();
  /** Hashes of stored reports by delivery key. */
  readonly reports = new Map<string, string>();
  /** Streams that sent a report, by the report's hash. */
  readonly reporters = new Map<string, number[]>();
  readonly storedCompositions = new Map<string, CompositionRank>();
  /** Highest seq of each stream before the batch. */
  readonly storedSeq = new Map<number, number>();
  /** Highest seqs that the batch raises, by stream. */
  readonly maxSeq = new Map<number, number>();

  /** New items in the order of their streams; after `placeItems` only those behind all stored items. */
  readonly tail: PlacedItem[] = [];
  /** New items that precede stored items. */
  readonly late: PlacedItem[] = [];
  /** Stored calls that a later report updates, by call key. */
  readonly changed = new Map<string, PlacedCall>();
  /** The old versions of stored calls that get the seq of another report. `tail` has the new versions. */
  readonly moved = new Map<string, PlacedCall>();
  /** New aliases with the key of their call. The key of a call that joined another call is an alias too. */
  readonly newAliases = new Map<string, string>();
  /** Aliases that may have a row already. */
  readonly oldAliases = new Set<string>();
  readonly compositions = new Map<string, CompositionReport>();
  /** Reports that claim a client id. */
  readonly claims: PlacedReport[] = [];
  /** Chains without a row that items of the batch open. */
  readonly newChains = new Set<string>();
  /** Current context of each chain, including the boundaries of this batch. */
  readonly contexts = new Map<string, number>();
  /** The session's row after the batch, except for the columns of the fold. */
  readonly next: LockedSession;

  constructor(
    readonly session: LockedSession,
    readonly arrivals: readonly Arrival[],
  ) {
    this.next = { ...session, ...betterProject(session, arrivals), version: session.version + 1 };
  }

  /** Whether the batch changes something before the last stored item. */
  get isLate(): boolean {
    const { session, late, changed, moved } = this;
    return late.length > 0 || changed.size > 0 || moved.size > 0 || session.recomputeFrom !== null;
  }

  findCall(key: string): PlacedCall | undefined {
    return this.calls.get(this.aliases.get(key) ?? key);
  }

  addAlias(alias: string, callKey: string): void {
    if (alias === callKey || this.aliases.get(alias) === callKey) return;
    this.aliases.set(alias, callKey);
    this.newAliases.set(alias, callKey);
  }

  /** Make the key of a call that joined another call, and its aliases, aliases of the other call. */
  joinAliases(joined: string, callKey: string): void {
    for (const map of [this.aliases, this.newAliases]) {
      for (const [alias, target] of map) if (target === joined) map.set(alias, callKey);
    }
    this.oldAliases.add(joined);
    this.addAlias(joined, callKey);
  }

  /** Replace a new item, or remove it. */
  replace(item: PlacedItem, by?: PlacedItem): void {
    this.tail.splice(this.tail.indexOf(item), 1, ...(by ? [by] : []));
  }
}

/** Project and runner of the most reliable stream, if its rank is better than the session's. */
function betterProject(
  { projectId, projectRank: rank, deletedAt }: LockedSession,
  arrivals: readonly Arrival[],
) {
  const streams = deletedAt === null ? arrivals.map(({ stream }) => stream) : [];
  const better = streams.filter(
    (stream) =>
      stream.projectRank > 0 &&
      stream.projectRank < rank &&
      (stream.boundBy === undefined || stream.projectId === projectId),
  );
  const [best] = better.sort((a, b) => a.projectRank - b.projectRank);
  return best && { projectId: best.projectId, projectRank: best.projectRank, runnerId: best.runnerId };
}

/** Bit of a session's `sources`: the source reported a call without an id. */
export const unnamedBit = (source: number): number => 16 << source;

/** Whether calls of other sources may be matched by usage, because they or the new call have no id. */
export function hasUnmatched(sources: number, source: number, isNamed: boolean): boolean {
  return ((isNamed ? sources >> 4 : sources) & 15 & ~(1 << source)) !== 0;
}

/** A fact that the locks depend on changed, so the batch must be rolled back and retried. */
export class BatchOutdated extends Error {
  override readonly name = 'BatchOutdated';
}

export function deliveryKey(streamId: number, seq: number): string {
  return `${streamId}:${seq}`;
}

/** The time of an item on screens. `backfill`: whether the session was being back-filled at the item. */
export function timeOf(
  { runnerTime, serverTime, clockAgrees }: Pick<Reported, 'runnerTime' | 'serverTime' | 'clockAgrees'>,
  backfill: boolean,
): EffectiveTime {
  const clockBehindMs = clockAgrees ? 0 : null;
  return effectiveTime({ runnerMs: runnerTime, serverMs: serverTime, clockBehindMs, backfill });
}
