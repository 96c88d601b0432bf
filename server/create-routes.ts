/** The endpoints of this process, by path prefix and role. */
import { OTLP_KEY_PATH } from '../core/settings/connection-file';
import { createReadApi } from './api/create-read-api';
import { createAccountsEndpoint } from './auth/create-accounts-endpoint';
import type { Route } from './http/create-http-server';
import type { ServerContext } from './http/endpoint';
import {
  createHealthEndpoints,
  createIdentityEndpoint,
  nothing,
  type ServerIdentity,
} from './http/own-endpoints';
import { createIngestEndpoint } from './ingest/create-ingest-endpoint';
import { createLiveEndpoint } from './live/create-live-endpoint';
import { createMetricsEndpoint } from './metrics-endpoint';
import { createPages, type PagesOptions } from './next-pages';
import { createOtlpEndpoint } from './otlp/create-otlp-endpoint';
import { SIGNALS } from './otlp/signals';
import { createArchiveEndpoint } from './transcripts/create-archive-endpoint';
import { startReadsPool } from './transcripts/thread-pools';

interface RouteOptions extends Omit<PagesOptions, 'host' | 'budgets'> {
  /** The identity that `/v1/identity` returns and proves. */
  identity: Pick<ServerIdentity, 'server' | 'secret'>;
}

export async function createRoutes(context: ServerContext, options: RouteOptions): Promise<Route[]> {
  const { role, host } = context.settings;
  const routes: Route[] = [
    ...Object.entries(createHealthEndpoints(context)).map(([prefix, endpoint]) => ({ prefix, endpoint })),
    { prefix: '/metrics', endpoint: createMetricsEndpoint(context) },
    // A wrong path of the API gets a JSON 404, not a page.
    { prefix: '/v1', endpoint: nothing },
    {
      prefix: '/v1/identity',
      endpoint: createIdentityEndpoint({
        ...options.identity,
        version: context.version,
        port: options.port,
      }),
    },
    { prefix: '/api', endpoint: nothing },
  ];
  if (role !== 'web') {
    const otlp = createOtlpEndpoint(context, options.identity.secret);
    routes.push(
      ...[...Object.keys(SIGNALS), OTLP_KEY_PATH].map((prefix) => ({ prefix, endpoint: otlp })),
      { prefix: '/v1/ingest', endpoint: createIngestEndpoint(context) },
      { prefix: '/v1/archives', endpoint: createArchiveEndpoint(context) },
    );
  }
  if (role !== 'ingest') {
    routes.push(
      { prefix: '/v1/live', endpoint: await createLiveEndpoint(context) },
      { prefix: '/api/v1', endpoint: createReadApi(context, Date.now, startReadsPool()) },
      ...(context.accounts
        ? [{ prefix: '/api/auth', endpoint: createAccountsEndpoint(context, context.accounts) }]
        : []),
      { prefix: '/', endpoint: await createPages({ ...options, host, budgets: context.budgets }) },
    );
  }
  return routes;
}
