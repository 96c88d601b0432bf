/** Shapes that the steps of ingest share. Times are milliseconds. */
import { MAIN_CHAIN } from '../../core/accounting/empty-fold';
import type { ChainFold } from '../../core/accounting/fold-types';
import { type EffectiveTime, effectiveTime } from '../../core/identity/clock';
import type { Composition, Item, TurnItem, Usage } from '../../core/protocol/items';
import type { RefusalCode, SeqRange, SourceName } from '../../core/protocol/messages';
import type { compositions } from '../schema/chains';
import type { sessions } from '../schema/sessions';
import type { Row } from '../tables';

/** A stream as a connection opened it. Its project and runner never change. */
export interface OpenStream {
  streamId: number;
  /** The random id the runner gave it. */
  stream: string;
  projectId: number;
  project: string;
  runnerId: number;
  source: SourceName;
  /** Seqs the server holds, when it was opened. */
  received: SeqRange[];
}

/** Items of one stream as they arrived together, in order of arrival, validated. */
export interface Delivery {
  stream: OpenStream;
  items: readonly Item[];
  receivedAt: number;
  /** Its clock agreed at the hello: an old item waited, and its time is right. Default false: the clock is off. */
  clockAgrees?: boolean;
}

export interface Refused {
  code: RefusalCode;
  field: string;
  reason: string;
}

/** `amended`: known before, and updated. `unchanged`: the same call again in the same stream, nothing new. */
export type ItemOutcome =
  | { outcome: 'stored' | 'duplicate' | 'amended' | 'unchanged' }
  | ({ outcome: 'refused' } & Refused);

export type LockedSession = Row<typeof sessions>;
export type TouchedSession = Pick<LockedSession, 'id' | 'publicId' | 'version'>;

export interface Recorded {
  outcomes: ItemOutcome[][];
  touched: TouchedSession[];
}

type TurnFields = Omit<TurnItem, 'type' | 'session' | 'composition'>;

/** A turn or reading in normal form (columns.ts): what its row holds, as the fold reads it. */
export type Call = { [K in keyof Required<TurnFields>]: TurnFields[K] } & {
  type: 'turn' | 'reading';
  /** The fold works within one session and never reads its key. */
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

interface CallContent {
  callKey: string;
  item: Call;
}

interface ReportContent {
  callKey: null;
  item: Item;
}

/** An item on its way, with the keys it will be known by. */
export type Arrival = Reported &
  (CallContent | ReportContent) & {
    stream: OpenStream;
    /** Stream and seq. */
    key: string;
    session: string;
    /** Project and session key, as known names are kept. */
    sessionName: string;
    /** Absent for a side call, which carries another history than its chain's. */
    composition: Composition | undefined;
    /** Its seq was settled before this batch. */
    isResent: boolean;
    /** Why the database does not take it, where it was tried before. */
    refusal?: Refused;
  };

interface Place {
  /** 0: not placed yet. */
  position: number;
  /** Arrivals that it settles; empty for a stored one. */
  arrivals: Arrival[];
}

export type PlacedCall = Reported & CallContent & Place;
export type PlacedReport = Reported & ReportContent & Place;
/** An item in its session's order, new or read back from its row. */
export type PlacedItem = PlacedCall | PlacedReport;

export function chainOf(item: Item | Call): string {
  return ('chain' in item && item.chain) || MAIN_CHAIN;
}

export interface StoredChain {
  chain: number;
  key: string;
  fold: ChainFold;
}

export const DELIVERY_OUTCOME = { duplicate: 0, amendment: 1, refused: 2 } as const;

/** Compositions that a chain keeps: the newest by position, and some before it in case that call moves or is refused. */
export const KEPT_COMPOSITIONS = 8;

/** What a context is made of, known by the call that reported it. It enters no sum. */
type CompositionReport = Omit<Row<typeof compositions>, 'sessionId'>;
export type CompositionRank = Omit<CompositionReport, 'composition'>;

/** Sessions that hold the client ids of a batch, by project and client session id. */
export type Holders = Map<string, { id: number; client: string }[]>;

/** Distance between items that follow each other: room for twenty late ones in between, halving each time. */
export const STRIDE = 2 ** 20;
/** Position of a session's first item: as much room before it. */
const FIRST_POSITION = 2 ** 40;

/** Highest number of a chain in its session, and of a context in its chain: each is a smallint of every turn. */
export const MAX_NUMBER = 32_767;

/** What a batch has for one session, and what it changes there. */
export class SessionPlan {
  /** Chains by key, as far as the arrivals name them; `fold` null for one that has no row yet. */
  readonly chains = new Map<string, Omit<StoredChain, 'fold'> & { fold: ChainFold | null }>();
  readonly calls = new Map<string, PlacedCall>();
  /** Hashes of reports that the arrivals may repeat, by delivery key. */
  readonly reports = new Map<string, string>();
  /** Streams that brought a report, by its hash. */
  readonly reporters = new Map<string, number[]>();
  readonly storedCompositions = new Map<string, CompositionRank>();
  /** Highest seq per stream among the stored rows, and among the new ones where they raise it. */
  readonly storedSeq = new Map<number, number>();
  readonly maxSeq = new Map<number, number>();

  /** New items behind everything the session has, in order. */
  tail: PlacedItem[] = [];
  /** New items whose own stream delivered a later seq already. */
  late: PlacedItem[] = [];
  /** Stored calls that a further report updates, by call key. */
  readonly changed = new Map<string, PlacedCall>();
  /** Stored calls that move to an earlier seq, as they were: they are in `late` or `tail` again. */
  readonly moved = new Map<string, PlacedCall>();
  readonly compositions = new Map<string, CompositionReport>();
  /** Reports that claim a client's id for the session: what is adopted goes right behind them. */
  readonly claims: PlacedReport[] = [];
  /** Context that each chain is in, with the boundaries of this batch. */
  readonly contexts = new Map<string, number>();
  /** The session's row after the batch, except for what the fold computes. */
  readonly next: LockedSession;

  constructor(
    readonly session: LockedSession,
    readonly arrivals: readonly Arrival[],
  ) {
    this.next = { ...session, version: session.version + 1 };
  }

  /** Put an item that belongs behind all stored ones before the later seqs of its own stream. */
  joinTail(item: PlacedItem): void {
    const next = this.tail.findIndex(({ streamId, seq }) => streamId === item.streamId && seq > item.seq);
    this.tail.splice(next === -1 ? this.tail.length : next, 0, item);
  }

  /** Give the tail its positions. */
  numberTail(): void {
    const { next } = this;
    for (const item of this.tail) {
      next.lastPosition = next.lastPosition === 0 ? FIRST_POSITION : next.lastPosition + STRIDE;
      item.position = next.lastPosition;
    }
  }

  /** Number of a chain in the session's rows: 0 is `main`, the others count on in order of appearance. */
  numberOf(key: string): number {
    const known = this.chains.get(key);
    if (known) return known.chain;
    const chain = key === MAIN_CHAIN ? 0 : this.next.chainCount;
    if (chain > MAX_NUMBER) throw new RangeError(`a session has at most ${MAX_NUMBER} chains besides main`);
    if (key !== MAIN_CHAIN) this.next.chainCount += 1;
    this.chains.set(key, { chain, key, fold: null });
    return chain;
  }
}

/** The batch met something that it must know before it takes its locks; it is rolled back and tried again. */
export class BatchOutdated extends Error {
  override readonly name = 'BatchOutdated';
}

/** A session or client session in its project. */
export function nameOf(projectId: number, key: string): string {
  return `${projectId} ${key}`;
}

export function deliveryKey(streamId: number, seq: number): string {
  return `${streamId}:${seq}`;
}

/** The time an item is shown at. `backfill`: as the session is at the item. */
export function timeOf(
  { runnerTime, serverTime, clockAgrees }: Pick<Reported, 'runnerTime' | 'serverTime' | 'clockAgrees'>,
  backfill: boolean,
): EffectiveTime {
  const clockBehindMs = clockAgrees ? 0 : null;
  return effectiveTime({ runnerMs: runnerTime, serverMs: serverTime, clockBehindMs, backfill });
}
