import type { ReadingBasis } from '../../../core/protocol/items';

/** A turn as reported to the server. Deltas in tokens; `usage: null`: the vendor stated none. */
export interface ReportedTurn {
  usage: { input: number; output: number; cacheRead: number; cacheCreation: number } | null;
  call?: string;
  model?: string;
  limit?: number;
  scope?: 'main' | 'side';
  contextTokens?: number;
  basis?: ReadingBasis;
}

/** The part of the client's `RunnerSession` that a usage processor calls. */
export interface UsageSession {
  /** One turn: its reported deltas, null for a turn without usage. */
  turn(fields: ReportedTurn): unknown;
  /** Where it is there, a refused turn is reported: the server's sums become a lower bound. */
  gap?(fields: { count: number; reason: string }): unknown;
}
