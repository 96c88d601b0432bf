import type { FoundSecret } from './secret-rule';

/** A secret with its number in the transcript, from 0 in file order. */
export interface NumberedSecret extends FoundSecret {
  secret: number;
}
