/** Types that the steps of ingest share. Times are milliseconds. */
import type { ChainFold, SessionFold } from '../../core/accounting/fold-types';
import { type EffectiveTime, effectiveTime } from '../../core/identity/clock';
import type { Composition, Item, ItemOf } from '../../core/protocol/items';
import type { RefusalCode, SeqRange, SourceName } from '../../core/protocol/messages';
import type { ClockJudgement } from '../codes/turn-bits';

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
  /** Server's time. */
  receivedAt: number;
  /**
   * The runner's clock agreed with the server's at its hello: an old item waited in the runner's queue, and its
   * time is right. Default false: an old time of a live session counts as a clock that is off.
   */
  clockAgrees?: boolean;
}

export type ItemOutcome =
  | {
      /**
       * `duplicate`: known before, from this stream or another. `amended`: known before, and updated.
       * `unchanged`: the same call again in the same stream, with nothing new.
       */
      outcome: 'stored' | 'duplicate' | 'amended' | 'unchanged';
    }
  | ({ outcome: 'refused' } & Refused);

export interface Refused {
  code: RefusalCode;
  field: string;
  reason: string;
}

export interface TouchedSession {
  id: number;
  publicId: string;
  version: number;
}

export interface Recorded {
  /** Per delivery, per item. */
  outcomes: ItemOutcome[][];
  touched: TouchedSession[];
}

/** An item on its way, with the keys it will be known by. */
export interface Arrival {
  /** Where its outcome goes. */
  delivery: number;
  index: number;
  stream: OpenStream;
  item: Item;
  receivedAt: number;
  clock: ClockJudgement;
  /** Project and session key, as known names are kept. */
  sessionName: string;
  hash: string;
  /** For turns and readings. */
  callKey: string | null;
  /** Why the database does not take it, where it was tried before. */
  refusal?: Refused;
}

export type CallItem = ItemOf<'turn'> | ItemOf<'reading'>;

/** An item in its session's order, new or read back from its row. Turns and readings are in normal form (columns.ts). */
export interface PlacedItem<I extends Item = Item> {
  /** 0: not placed yet. */
  position: number;
  streamId: number;
  seq: number;
  hash: string;
  callKey: string | null;
  source: SourceName;
  runnerTime: number;
  serverTime: number;
  clock: ClockJudgement;
  item: I;
  /** Arrivals that it settles, for a new one. */
  arrivals: Arrival[];
}

export type PlacedCall = PlacedItem<CallItem> & { callKey: string };

export function isCallItem(item: Item): item is CallItem {
  return item.type === 'turn' || item.type === 'reading';
}

export function isCall(placed: PlacedItem): placed is PlacedCall {
  return placed.callKey !== null;
}

/** A session row under its lock. */
export interface LockedSession {
  id: number;
  publicId: string;
  projectId: number;
  key: string;
  deletedAt: number | null;
  retired: boolean;
  adoptedBy: number | null;
  title: string | null;
  host: string | null;
  folder: string | null;
  branch: string | null;
  previousId: string | null;
  forkedFromId: string | null;
  fold: Omit<SessionFold, 'chains'>;
  owner: number;
  sources: number;
  lastPosition: number;
  chainCount: number;
  itemsSinceCheckpoint: number;
  recomputeFrom: number | null;
  startedAt: number;
  lastActivityAt: number | null;
  endedAt: number | null;
  version: number;
}

export interface StoredChain {
  chain: number;
  key: string;
  fold: ChainFold;
}

export const DELIVERY_OUTCOME = { duplicate: 0, amendment: 1, refused: 2 } as const;

/** A seq that made no row of its own. */
export interface DeliveryRecord {
  streamId: number;
  seq: number;
  hash: string;
  outcome: number;
  refusal: Refused | null;
  receivedAt: number;
}

/** Compositions that a chain keeps: the newest by position, and some before it in case that call moves or is refused. */
export const KEPT_COMPOSITIONS = 8;

/** What a context is made of, known by the call that reported it. It enters no sum. */
export interface CompositionReport {
  callKey: string;
  streamId: number;
  seq: number;
  /** Code of the source. */
  source: number;
  runnerTime: number;
  composition: Composition;
}

/** A client's id that the session is known by from now on. */
export interface AliasClaim {
  client: string | null;
  clientSessionId: string;
  /** The item that claims it: what is adopted goes right behind it. */
  by: PlacedItem;
  projectId: number;
}

/** What a batch changes in one session. */
export interface SessionPlan {
  session: LockedSession;
  /** Chains by key; `fold` null for one that has no row yet. */
  chains: Map<string, Pick<StoredChain, 'chain' | 'key'> & { fold: ChainFold | null }>;
  /** New items behind everything the session has, in order. */
  tail: PlacedItem[];
  /** New items whose own stream delivered a later seq already. */
  late: PlacedItem[];
  /** Stored calls that a further report updates, by call key. */
  changed: Map<string, PlacedCall>;
  /** Stored calls that move to an earlier seq, as they were: they are in `late` or `tail` again. */
  moved: Map<string, PlacedCall>;
  /** New compositions, by call key. */
  compositions: Map<string, CompositionReport>;
  claims: AliasClaim[];
  /** Highest seq per stream among the rows, where the batch raised it. */
  maxSeq: Map<number, number>;
  owner: number;
  sources: number;
  lastActivityAt: number;
  /** New chain numbers are given out from here. */
  chainCount: number;
}

/** Highest number of a chain in its session, and of a context in its chain: each is a smallint of every turn. */
export const MAX_NUMBER = 32_767;

/** The batch met something that it must know before it takes its locks; it is rolled back and tried again. */
export class BatchOutdated extends Error {
  override readonly name = 'BatchOutdated';
}

export function deliveryKey(streamId: number, seq: number): string {
  return `${streamId}:${seq}`;
}

/** The time an item is shown at. `backfill`: as the session is at the item. */
export function timeOf(
  row: Pick<PlacedItem, 'runnerTime' | 'serverTime' | 'clock'>,
  backfill: boolean,
): EffectiveTime {
  return effectiveTime({
    runnerMs: row.runnerTime,
    serverMs: row.serverTime,
    clockBehindMs: row.clock === 'right' ? 0 : null,
    backfill,
  });
}
