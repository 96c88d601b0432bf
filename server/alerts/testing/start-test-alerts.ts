/** For tests: the alerts of a database, with real receivers. */
import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import type postgres from 'postgres';
import { deliver, numbered, openTestStream, type Words } from '../../../db/ingest/ingest-testing';
import { createSecretBox } from '../secret-box';
import { type AlertOptions, startAlerts } from '../start-alerts';

export function startTestAlerts(sql: postgres.Sql, more: Partial<AlertOptions> = {}) {
  return startAlerts({
    sql,
    log: pino({ level: 'silent' }),
    idleAfterMs: 600_000,
    base: 'http://127.0.0.1:4680',
    allowPrivate: true,
    secrets: createSecretBox(randomBytes(32)),
    pollMs: 50,
    settleMs: 10,
    ...more,
  });
}

/** A new session with this title, above its limit. @returns sends another size of its context */
export async function overLimit(sql: postgres.Sql, title: string) {
  const stream = await openTestStream(sql, { project: 'receivers' });
  const words = (used: number, at: number): Words => ({
    type: 'turn',
    session: 's',
    at,
    limit: 100_000,
    contextTokens: used,
    usage: { input: used, output: 10, cacheRead: 0, cacheCreation: 0 },
    call: `call-${at}`,
  });
  const now = Date.now();
  const first: Words = { type: 'session_start', session: 's', at: now, title, lens: 'snapshot' };
  await deliver(sql, stream, numbered([first, words(120_000, now)]), now);
  return (used: number) => deliver(sql, stream, numbered([words(used, now + 1_000)], 3), now + 1_000);
}
