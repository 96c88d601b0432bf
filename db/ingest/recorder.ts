import type postgres from 'postgres';
import type { Thresholds } from '../../core/accounting/types';
import type { NewRow } from './session-plan';
import type { Refused } from './types';
import type { WriteSet } from './write-set';

/** What the steps of one batch share. */
export interface Recorder {
  tx: postgres.TransactionSql;
  /** Ids of model names. */
  models: ReadonlyMap<string, number>;
  thresholdsOf(session: { projectId: number }): Thresholds;
  /** Name of a session's project. */
  projectOf(session: { projectId: number }): string;
  /** Refuses a row that was accepted before its sums were known. */
  refuseRow(row: NewRow, refused: Refused): void;
  writes: WriteSet;
}
