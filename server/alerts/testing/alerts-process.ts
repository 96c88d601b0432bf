/**
 * A process that sends messages, for tests that kill it. Arguments: the database's URL.
 */
import { connect } from '../../../db/client';
import { startTestAlerts } from './start-test-alerts';

const [url = ''] = process.argv.slice(2);
await startTestAlerts(connect(url, 4), {
  // The lease of a killed process ends soon.
  timeoutMs: 500,
  leaseMarginMs: 200,
  pollMs: 20,
  settleMs: 5,
});
process.stdout.write('ready\n');
