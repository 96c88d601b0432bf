import type postgres from 'postgres';
import { hint, noHints } from './hints';

/** Notify the processes that send messages and serve pages after the transaction commits. */
export async function notifyAlerts(tx: postgres.ISql): Promise<void> {
  hint(tx, { ...noHints(), alerts: true });
}
