/** What a batch will do to one session: filled by settle-items, carried out by record-batch. */
import type { ChainFold } from '../../core/accounting/fold-types';
import type { Item } from '../../core/protocol/items';
import type { ClockJudgement } from '../codes/turn-bits';
import type { Arrival } from './arrivals';
import type { CallRecord } from './call-row';
import type { CompositionReport } from './compositions';
import type { LockedSession, StoredChain } from './lock-batch';
import type { ItemOutcome, Refused } from './types';

/** An item that is no call, on its way into `reports`. Times in milliseconds. */
export interface ReportRecord {
  position: number;
  streamId: number;
  seq: number;
  hash: string;
  source: Arrival['stream']['source'];
  runnerTime: number;
  serverTime: number;
  clock: ClockJudgement;
  item: Item;
}

/** A new row. `arrivals`: the items it settles, the first one made it. */
export type NewRow =
  | { kind: 'call'; record: CallRecord; arrivals: Arrival[] }
  | { kind: 'report'; record: ReportRecord; arrivals: Arrival[] };

export const DELIVERY_OUTCOME = { duplicate: 0, amendment: 1, refused: 2 } as const;

/** A seq that made no row of its own. */
export interface DeliveryRecord {
  streamId: number;
  seq: number;
  hash: string;
  outcome: (typeof DELIVERY_OUTCOME)[keyof typeof DELIVERY_OUTCOME];
  refusal: Refused | null;
  receivedAt: number;
}

/** A client's id that the session is known by from now on. */
export interface AliasClaim {
  client: string | null;
  clientSessionId: string;
  /** The row that claims it: what is adopted goes right behind it. */
  row: NewRow;
  source: Arrival['stream']['source'];
  projectId: number;
}

export interface SessionPlan {
  session: LockedSession;
  /** Chains by key; `fold` null for one that has no row yet. */
  chains: Map<string, Pick<StoredChain, 'chain' | 'key'> & { fold: ChainFold | null }>;
  /** New rows behind everything the session has, in order. */
  tail: NewRow[];
  /** New rows whose own stream delivered a later seq already. */
  late: NewRow[];
  /** Stored calls that a further report updates, by call key. */
  changed: Map<string, CallRecord>;
  /** Call keys of stored calls that move to an earlier seq: they are in `late` or `tail` again. */
  moved: Map<string, CallRecord>;
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

export function isUntouched(plan: SessionPlan): boolean {
  return (
    plan.tail.length === 0 &&
    plan.late.length === 0 &&
    plan.changed.size === 0 &&
    plan.moved.size === 0 &&
    plan.compositions.size === 0 &&
    plan.owner === plan.session.owner
  );
}

export const STORED: ItemOutcome = { outcome: 'stored' };
export const DUPLICATE: ItemOutcome = { outcome: 'duplicate' };
export const AMENDED: ItemOutcome = { outcome: 'amended' };
export const UNCHANGED: ItemOutcome = { outcome: 'unchanged' };
