/** For tests: the real endpoints for runners and the read API, behind the real gate, on any database, without pages. */
import { randomBytes, randomUUID } from 'node:crypto';
import pino from 'pino';
import { IDENTITY_PATH, OTLP_KEY_PATH } from '../../../core/settings/connection-file';
import { serverUrlOf, setOwner } from '../../../db/access';
import { connect } from '../../../db/client';
import { createSecretBox } from '../../alerts/secret-box';
import { createReadApi } from '../../api/create-read-api';
import { type Authenticator, createAuthenticator } from '../../auth/authenticator';
import { createBudgets } from '../../http/budgets';
import { createHttpServer } from '../../http/create-http-server';
import { createDatabaseProbe } from '../../http/database-probe';
import type { ServerContext } from '../../http/endpoint';
import { createHealthEndpoints, createIdentityEndpoint } from '../../http/own-endpoints';
import { createStorageState } from '../../http/storage-state';
import { createLiveEndpoint } from '../../live/create-live-endpoint';
import { createMetricsEndpoint } from '../../metrics-endpoint';
import { startNatsHints } from '../../nats-hints';
import { createOtlpEndpoint } from '../../otlp/create-otlp-endpoint';
import { createLeftOut } from '../../otlp/left-out';
import { SIGNALS } from '../../otlp/signals';
import { readSettings } from '../../settings';
import { createArchiveEndpoint } from '../../transcripts/create-archive-endpoint';
import { createIngestEndpoint } from '../create-ingest-endpoint';

/** A busy machine reaches the two seconds of a product's server, so most tests take nothing for a frozen database. */
const PATIENT_TICKS = 1_000;

interface MoreOptions {
  findPerson?: Authenticator['findPerson'];
  /** 20: the database counts as frozen after two seconds without an answer, as in the product. */
  probeTicks?: number | undefined;
  /** Clocks of the ages of cached tokens, and of the budgets of `BAROGRAPH_LIMIT_`. */
  tokenClock?: () => number;
  budgetClock?: () => number;
}

export async function startIngestServer(
  databaseUrl: string,
  port = 0,
  secret = '',
  withLive = false,
  maxDelayMs = 5_000,
  directUrl: string | null = null,
  { findPerson, probeTicks = PATIENT_TICKS, tokenClock, budgetClock }: MoreOptions = {},
) {
  const log = pino({ level: 'warn' }, pino.destination(2));
  // The pooler of the tests knows the owner only.
  const url = directUrl === null ? serverUrlOf(databaseUrl) : databaseUrl;
  const sql = connect(url, 4, { directUrl });
  const owner = connect(directUrl ?? databaseUrl, 1);
  setOwner(sql, owner);
  const settings = readSettings('/nowhere');
  const { natsServers: servers, role } = settings;
  const nats =
    servers.length > 0 ? await startNatsHints(sql, { servers, prefix: 'barograph.test', log }) : null;
  const probing = connect(url, 1, { directUrl });
  const probe = createDatabaseProbe(probing, { ticks: probeTicks });
  const auth = createAuthenticator(sql, tokenClock, maxDelayMs);
  const context: ServerContext = {
    secrets: createSecretBox(randomBytes(32)),
    sql,
    auth: { ...auth, ...(findPerson && { findPerson }) },
    accounts: null,
    replica: null,
    probe,
    storage: createStorageState(),
    budgets: createBudgets(settings.limits, budgetClock),
    leftOut: createLeftOut(),
    log,
    settings,
    epoch: randomUUID(),
    version: '0.0.0',
  };
  const api = createReadApi(context);
  const otlp = createOtlpEndpoint(context, secret);
  const endpoints = {
    ...createHealthEndpoints(context),
    '/metrics': createMetricsEndpoint(context),
    ...(role !== 'web' && {
      ...Object.fromEntries([...Object.keys(SIGNALS), OTLP_KEY_PATH].map((path) => [path, otlp])),
      '/v1/ingest': createIngestEndpoint(context),
      '/v1/archives': createArchiveEndpoint(context),
    }),
    ...(withLive && role !== 'ingest' && { '/v1/live': await createLiveEndpoint(context) }),
    ...(role !== 'ingest' && { '/api/v1': api }),
    [IDENTITY_PATH]: createIdentityEndpoint({ server: randomUUID(), version: '0.0.0', secret, port }),
  };
  const server = createHttpServer(log, undefined, settings.limits.CONNECTIONS);
  const bound = await server.listen(port, '127.0.0.1');
  server.serve(
    Object.entries(endpoints).map(([prefix, endpoint]) => ({ prefix, endpoint })),
    probe,
  );
  return {
    /** Without a path. */
    url: `http://127.0.0.1:${bound}`,
    port: bound,
    /** Of the read API. */
    routes: api.routes,
    prefixes: Object.keys(endpoints),
    async close(): Promise<void> {
      server.stopTaking();
      await Promise.all(Object.values(endpoints).map((endpoint) => endpoint.close()));
      await server.close(1_000);
      auth.close();
      nats?.close();
      await Promise.all([sql, owner, probing].map((client) => client.end({ timeout: 5 })));
    },
  };
}
