import type { ReadingBasis, Usage } from '../../../core/protocol/items';
import type { FieldsOf, Moment } from '../client/client-types';

/** What the tracker calls of a session: one of `createClient` fits, and so does anything like it. */
export interface TrackerSession {
  /** A main call, with the context's make-up. */
  turn(fields: FieldsOf<'turn'>): unknown;
  /** The context's size between calls, tokens. */
  reading(fields: FieldsOf<'reading'>): unknown;
  /** The context was emptied. */
  clear(fields: FieldsOf<'clear'>): unknown;
  /** Messages were taken out of the context. */
  compress(fields: FieldsOf<'compress'>): unknown;
}

/** What the owner knows of a call that the tracker cannot. */
export interface TurnReport {
  /** Deltas of this call as the vendor gave them; null or absent: it gave none. */
  usage?: Usage | null | undefined;
  /** The provider's message or response id. */
  call?: string | undefined;
  model?: string | undefined;
  /** The context's size by the provider, tokens: better than the tracker's own sum, which is sent without it. */
  contextTokens?: number | undefined;
  /** What `contextTokens` counts; goes with it. */
  basis?: ReadingBasis | undefined;
  /** Of the compression that the make-up foretells, 0 to 100. Default 50. */
  targetPercent?: number | undefined;
  at?: Moment | undefined;
}

/** What the owner knows of a reading between calls. */
export type ReadingReport = Pick<TurnReport, 'call' | 'model' | 'at'>;
