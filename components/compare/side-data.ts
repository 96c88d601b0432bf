/** One side of a comparison, as read. */
import type { Figures } from '@/core/api/figures';
import type { SeriesPoint } from '@/core/api/series';
import type { Context, Session, SessionEvent } from '@/core/api/session';
import type { SideRef } from './compare-url';

export type SideName = 'a' | 'b';

export interface SideData {
  session: Session;
  /** Null: the whole session. */
  context: number | null;
  /** Of the main chain, in order. */
  contexts: readonly Context[];
  /** Oldest first. */
  events: readonly SessionEvent[];
  /** Of the side alone. */
  points: readonly SeriesPoint[];
  figures: Figures;
}

export type Side =
  /** Nothing is named. */
  | { type: 'empty' }
  | { type: 'found'; data: SideData }
  | { type: 'missing'; ref: SideRef; why: 'unknown' | 'deleted' }
  /** The session is there, the context is not. */
  | { type: 'no-context'; ref: SideRef; session: Session; contexts: readonly Context[] };
