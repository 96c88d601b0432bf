/** For tests: the real endpoints for runners and the read API, behind the real gate, on any database, without pages. */
import { randomUUID } from 'node:crypto';
import pino from 'pino';
import { IDENTITY_PATH } from '../../../core/settings/connection-file';
import { connect } from '../../../db/client';
import { createReadApi } from '../../api/create-read-api';
import { createHttpServer } from '../../http/create-http-server';
import { createDatabaseProbe } from '../../http/database-probe';
import type { ServerContext } from '../../http/endpoint';
import { createIdentityEndpoint } from '../../http/own-endpoints';
import { createOtlpEndpoint } from '../../otlp/create-otlp-endpoint';
import { SIGNALS } from '../../otlp/signals';
import { readSettings } from '../../settings';
import { createArchiveEndpoint } from '../../transcripts/create-archive-endpoint';
import { createIngestEndpoint } from '../create-ingest-endpoint';

export async function startIngestServer(databaseUrl: string, port = 0) {
  const log = pino({ level: 'warn' }, pino.destination(2));
  const sql = connect(databaseUrl, 4);
  const probing = connect(databaseUrl, 1);
  const probe = createDatabaseProbe(probing);
  const context: ServerContext = {
    sql,
    probe,
    log,
    settings: readSettings('/nowhere'),
    epoch: randomUUID(),
    version: '0.0.0',
  };
  const otlp = createOtlpEndpoint(context);
  const endpoints = {
    ...Object.fromEntries(Object.keys(SIGNALS).map((path) => [path, otlp])),
    '/v1/ingest': createIngestEndpoint(context),
    '/v1/archives': createArchiveEndpoint(context),
    '/api/v1': createReadApi(context),
    [IDENTITY_PATH]: createIdentityEndpoint({ server: randomUUID(), version: '0.0.0', secret: '', port }),
  };
  const server = createHttpServer(log);
  const bound = await server.listen(port, '127.0.0.1');
  server.serve(
    Object.entries(endpoints).map(([prefix, endpoint]) => ({ prefix, endpoint })),
    probe,
  );
  return {
    /** Without a path. */
    url: `http://127.0.0.1:${bound}`,
    port: bound,
    async close(): Promise<void> {
      server.stopTaking();
      await Promise.all(Object.values(endpoints).map((endpoint) => endpoint.close()));
      await server.close(1_000);
      await Promise.all([sql, probing].map((client) => client.end({ timeout: 5 })));
    },
  };
}
