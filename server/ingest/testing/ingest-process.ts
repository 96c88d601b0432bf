/**
 * A server process for tests: `ingest-process.ts DATABASE_URL PORT`. Prints its address when it listens, and
 * ends in order on SIGTERM.
 */
import { startIngestServer } from './start-ingest-server';

const [databaseUrl = '', port = '0'] = process.argv.slice(2);
const server = await startIngestServer(databaseUrl, Number(port));
process.on('SIGTERM', () => {
  server.close().then(
    () => process.exit(0),
    () => process.exit(1),
  );
});
process.stdout.write(`${server.url}\n`);
