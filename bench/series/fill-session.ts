import { randomUUID } from 'node:crypto';
import type postgres from 'postgres';
import { sessionId } from '../../core/identity/session-id';
import { openStream } from '../../db/ingest/open-stream';
import { recordDeliveries } from '../../db/ingest/record-deliveries';
import { findSession, type SessionRef } from '../../db/queries/find-session';
import { createTurnSource } from '../ingest/make-turns';

const PROJECT = 'bench-series';
const TURNS_PER_DELIVERY = 5_000;

/** A session of so many turns, recorded by the ingest like any other. `onProgress` gets the number of turns stored so far. */
export async function fillSession(
  sql: postgres.Sql,
  key: string,
  turns: number,
  onProgress: (stored: number) => void,
): Promise<SessionRef> {
  const stream = await openStream(sql, {
    project: PROJECT,
    runner: { name: 'bench' },
    stream: randomUUID(),
    source: 'sdk',
  });
  const source = createTurnSource(key, 7, Date.now() - turns * 3_000 - 60_000);
  for (let stored = 0; stored < turns; ) {
    const count = Math.min(TURNS_PER_DELIVERY, turns - stored);
    const receivedAt = Date.now();
    const delivery = { stream, items: source.next(count), receivedAt, clockAgrees: true };
    const { outcomes } = await recordDeliveries(sql, [delivery], { now: receivedAt });
    if (outcomes.flat().some(({ outcome }) => outcome !== 'stored')) throw new Error('a turn was not stored');
    stored += count;
    onProgress(stored);
  }
  const session = await findSession(sql, sessionId(PROJECT, key));
  if (!session) throw new Error(`the session ${key} is not there`);
  return session;
}
