import type { FoundSecret } from './secret-rule';

/** A secret of a transcript under its number: from 0, in the file's order. */
export interface NumberedSecret extends FoundSecret {
  secret: number;
}
