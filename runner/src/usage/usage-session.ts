import type { ReadingBasis } from '../../../core/protocol/items';
import type { FieldsOf } from '../client/client-types';

/** A turn as reported to the server. Deltas in tokens; `usage: null`: the vendor reported none. */
export type ReportedTurn = FieldsOf<'turn'>;

/** The part of the client's `RunnerSession` that a usage processor calls. */
export interface UsageSession {
  /** Takes one turn; its usage is null if the vendor reported none. */
  turn(fields: ReportedTurn): unknown;
  /** Optional. Takes a gap for a refused turn: the server's sums become a lower bound. */
  gap?(fields: FieldsOf<'gap'>): unknown;
  /** Optional. Takes the lens before the first turn. */
  start?(fields: FieldsOf<'session_start'>): unknown;
  /** Optional. Takes the client's own id of the session, so that the server joins its transcript. */
  alias?(fields: FieldsOf<'session_alias'>): unknown;
  /** Optional. Takes a compaction of the client, with the client's token counts. */
  compaction?(fields: FieldsOf<'compaction'>): unknown;
  /** Optional. Takes the client's clearing of its context. */
  clear?(fields: FieldsOf<'clear'>): unknown;
}

/** Facts of a turn besides its usage. */
export interface TurnFacts {
  /** The provider's id of the response. */
  call?: string | undefined;
  /** The provider's id of the request, by which OpenTelemetry may report the same call. */
  request?: string | undefined;
  /** The agent's id of the session. */
  sessionId?: string | undefined;
  /** Model that answered. */
  model?: string | undefined;
  /** The window that the client reports with this turn, tokens. */
  limit?: number | undefined;
  /** The context's size after this turn, tokens. Default with the snapshot lens: the size in the usage. */
  contextTokens?: number | undefined;
  /** What `contextTokens` counts. Default `total`: input and output. */
  basis?: ReadingBasis | undefined;
  /** `side`: a call without the chain's history (titling, classification). Reported, but not part of any sum. */
  scope?: 'main' | 'side' | undefined;
}
