import type { FieldsOf, TurnFields } from '../client/client-types';

/** A turn as reported to the server. Deltas in tokens; `usage: null`: the vendor reported none. */
export type ReportedTurn = TurnFields;

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
