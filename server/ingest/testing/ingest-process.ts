/**
 * A server process for tests: `ingest-process.ts DATABASE_URL PORT PROBE_TICKS [live]`. Prints its address when it
 * listens, and ends in order on SIGTERM.
 */
import { judgeFault } from '../../../db/judge-fault';
import { startIngestServer } from './start-ingest-server';

const [databaseUrl = '', port = '0', ticks = '20', live] = process.argv.slice(2);
const server = await startIngestServer(databaseUrl, Number(port), '', live === 'live', undefined, null, {
  probeTicks: Number(ticks),
});
process.on('SIGTERM', async () => {
  await server.close();
  process.exit(0);
});
// As in `main.ts`: the driver rejects statements that no caller awaits.
process.on('unhandledRejection', (error) => {
  if (judgeFault(error) !== 'unavailable') throw error;
});
process.stdout.write(`${server.url}\n`);
