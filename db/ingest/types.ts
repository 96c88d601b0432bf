/** Words of the ingest transaction, shared by its steps. */
import type { Item } from '../../core/protocol/items';
import type { RefusalCode, SeqRange, SourceName } from '../../core/protocol/messages';

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
  /** Server's time, milliseconds. */
  receivedAt: number;
  /**
   * The runner's clock agreed with the server's when it said hello: an old item waited in the runner's queue,
   * and its time is right. Default false: an old time of a live session counts as a clock that is off.
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
