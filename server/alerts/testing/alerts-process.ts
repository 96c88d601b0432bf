/**
 * A process that sends messages, for tests that kill it. Arguments: the database's URL.
 */
import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { connect } from '../../../db/client';
import { createSecretBox } from '../secret-box';
import { startAlerts } from '../start-alerts';

const [url = ''] = process.argv.slice(2);
await startAlerts({
  sql: connect(url, 4),
  log: pino({ level: 'silent' }),
  idleAfterMs: 600_000,
  base: 'http://127.0.0.1:4680',
  allowPrivate: true,
  secrets: createSecretBox(randomBytes(32)),
  // The lease of a killed process ends soon.
  timeoutMs: 500,
  leaseMarginMs: 200,
  pollMs: 20,
  settleMs: 5,
});
process.stdout.write('ready\n');
