/** What the process that takes archives in remembers of those that its store could not: for whoever reads rows beside it. */
import type { ArchiveOffer } from '../../core/api/transcripts';

/** Without the names of its chunks, which may be megabytes. */
export type RememberedOffer = Omit<ArchiveOffer, 'chunks' | 'summary'>;

export interface Remembered {
  archive: string;
  /** Null: it had been taken before, so that it has a row. */
  offer: RememberedOffer | null;
  reason: string;
  /** When it was refused for the first time and the last time, milliseconds. */
  since: number;
  until: number;
  times: number;
}

export interface HeldUpReads {
  /** Null: nothing holds it up, as far as this process knows. */
  find(archive: string): Remembered | null;
  /** All whose offer could not be taken. */
  offered(): readonly (Remembered & { offer: RememberedOffer })[];
}

export const NOTHING_HELD_UP: HeldUpReads = { find: () => null, offered: () => [] };
