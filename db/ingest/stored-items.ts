/** Reads stored items in order, and the fold state before them, to fold a session again. */
import type postgres from 'postgres';
import { emptySessionFold } from '../../core/accounting/fold';
import type { Item } from '../../core/protocol/items';
import { unpackReportBits } from '../codes/turn-bits';
import { mapInSlices } from '../queries/load-session';
import type { checkpoints } from '../schema/chains';
import { reports } from '../schema/events';
import { columnsText, type Row } from '../tables';
import { placedCall, STORED_CALL, type StoredCall } from './columns';
import type { PlacedCall, PlacedReport } from './types';

/** Maximum number of items that one transaction folds again. */
export const REFOLD_LIMIT = 2_000;

/** Start of a fold: a checkpoint, or position 0 with an empty state. */
export type Start = Pick<Row<typeof checkpoints>, 'position' | 'fold' | 'edge'>;

export async function readStart(tx: postgres.ISql, sessionId: number, from: number): Promise<Start> {
  const [row] = await tx<Start[]>`
    select position, fold, edge from checkpoints
    where session_id = ${sessionId} and position < ${from}
    order by position desc limit 1`;
  return row ?? { position: 0, fold: emptySessionFold(), edge: null };
}

export type StoredItem = (PlacedCall & { row: StoredCall }) | PlacedReport;

/** At most `REFOLD_LIMIT` items after a position, in order. `next`: the position of the first item left out. */
export async function readRows(
  tx: postgres.ISql,
  sessionId: number,
  after: number,
): Promise<{ rows: StoredItem[]; next: number | null }> {
  const limit = REFOLD_LIMIT + 1;
  const [turns, others] = await Promise.all([
    tx<StoredCall[]>`
      select ${tx.unsafe(STORED_CALL)} from turns t where t.session_id = ${sessionId} and t.position > ${after}
      order by t.position limit ${limit}`,
    tx<StoredReport[]>`
      select ${tx.unsafe(REPORTS)} from reports r where session_id = ${sessionId} and position > ${after}
      order by position limit ${limit}`,
  ]);
  const items: StoredItem[] = [
    ...(await mapInSlices(turns, (row) => ({ ...placedCall(row), row }))),
    ...others.map(placedReport),
  ];
  items.sort((a, b) => a.position - b.position);
  return { rows: items.slice(0, REFOLD_LIMIT), next: items[REFOLD_LIMIT]?.position ?? null };
}

export type StoredReport = Row<typeof reports>;
export const REPORTS = columnsText(reports, 'r');

export function placedReport({ bits, item: stored, ...row }: StoredReport): PlacedReport {
  // Rows hold valid items.
  const item = { ...(stored as Item), seq: Math.abs(row.seq), session: '-', at: row.runnerTime };
  return { ...row, callKey: null, ...unpackReportBits(bits), item, arrivals: [] };
}
