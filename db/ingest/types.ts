/** Shapes that the steps of ingest share. Times are milliseconds. */
import type { ChainFold } from '../../core/accounting/fold-types';
import { type EffectiveTime, effectiveTime } from '../../core/identity/clock';
import type { Item, ReadingBasis, Usage } from '../../core/protocol/items';
import type { RefusalCode, SeqRange, SourceName } from '../../core/protocol/messages';
import type { ClockJudgement } from '../codes/turn-bits';
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

/** An item on its way, with the keys it will be known by. */
export interface Arrival {
  stream: OpenStream;
  item: Item;
  receivedAt: number;
  clock: ClockJudgement;
  /** Project and session key, as known names are kept. */
  sessionName: string;
  hash: string;
  /** For turns and readings. */
  callKey: string | null;
  /** Its seq was settled before this batch. */
  isResent: boolean;
  /** Why the database does not take it, where it was tried before. */
  refusal?: Refused;
}

/** A turn or reading in normal form (columns.ts): what its row holds, as the fold reads it. */
export interface Call {
  type: 'turn' | 'reading';
  seq: number;
  /** The fold works within one session and never reads its key. */
  session: '-';
  at: number;
  chain: string;
  scope: 'main' | 'side';
  call: string | undefined;
  model: string | undefined;
  limit: number | undefined;
  usage: Usage | null;
  contextTokens: number | undefined;
  basis: ReadingBasis | undefined;
  inherited: boolean;
}

interface Placed {
  /** 0: not placed yet. */
  position: number;
  streamId: number;
  seq: number;
  hash: string;
  source: SourceName;
  runnerTime: number;
  serverTime: number;
  clock: ClockJudgement;
  /** Arrivals that it settles; empty for a stored one. */
  arrivals: Arrival[];
}

export type PlacedCall = Placed & { callKey: string; item: Call };
export type PlacedReport = Placed & { callKey: null; item: Item };
/** An item in its session's order, new or read back from its row. */
export type PlacedItem = PlacedCall | PlacedReport;

export function isCall(placed: PlacedItem): placed is PlacedCall {
  return placed.callKey !== null;
}

export function chainOf(item: Item | Call): string {
  return ('chain' in item && item.chain) || 'main';
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

/** A client's id that the session is known by from now on. */
export interface AliasClaim {
  client: string | null;
  clientSessionId: string;
  /** The item that claims it: what is adopted goes right behind it. */
  by: PlacedItem;
  projectId: number;
}

/** Sessions that hold the client ids of a batch, by project and client session id. */
export type Holders = Map<string, { id: number; client: string }[]>;

/** What a batch has for one session, and what it changes there. */
export interface SessionPlan {
  session: LockedSession;
  arrivals: Arrival[];

  /** Chains by key, as far as the arrivals name them; `fold` null for one that has no row yet. */
  chains: Map<string, Omit<StoredChain, 'fold'> & { fold: ChainFold | null }>;
  calls: Map<string, PlacedCall>;
  /** Hashes of reports that the arrivals may repeat, by delivery key. */
  reports: Map<string, string>;
  /** Streams that brought a report, by its hash. */
  reporters: Map<string, number[]>;
  storedCompositions: Map<string, CompositionRank>;
  /** Highest seq per stream among the stored rows, and among the new ones where they raise it. */
  storedSeq: Map<number, number>;
  maxSeq: Map<number, number>;

  /** New items behind everything the session has, in order. */
  tail: PlacedItem[];
  /** New items whose own stream delivered a later seq already. */
  late: PlacedItem[];
  /** Stored calls that a further report updates, by call key. */
  changed: Map<string, PlacedCall>;
  /** Stored calls that move to an earlier seq, as they were: they are in `late` or `tail` again. */
  moved: Map<string, PlacedCall>;
  compositions: Map<string, CompositionReport>;
  claims: AliasClaim[];
  /** Context that each chain is in, with the boundaries of this batch. */
  contexts: Map<string, number>;
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
  row: Pick<Placed, 'runnerTime' | 'serverTime' | 'clock'>,
  backfill: boolean,
): EffectiveTime {
  return effectiveTime({
    runnerMs: row.runnerTime,
    serverMs: row.serverTime,
    clockBehindMs: row.clock === 'right' ? 0 : null,
    backfill,
  });
}
