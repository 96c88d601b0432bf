/** `/api/v1`: reads for programs and pages, and changes by operators. */
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import type { OpenAPIHono } from '@hono/zod-openapi';
import { Hono } from 'hono';
import { compress } from 'hono/compress';
import { etag } from 'hono/etag';
import { HTTPException } from 'hono/http-exception';
import { methodNotAllowed } from 'hono/method-not-allowed';
import type { ErrorBody } from '../../core/api/responses';
import { InvalidParameterError } from '../../db/queries/invalid-parameter-error';
import { ChunkDamagedError, TranscriptGoneError } from '../../db/transcripts/chunk-store';
import {
  ContentsTooHeavyError,
  type ContentsWork,
  inProcessWork,
} from '../../db/transcripts/contents/contents-work';
import type { Endpoint, ServerContext } from '../http/endpoint';
import { alertsApi } from './alerts';
import {
  type ApiContext,
  type ApiEnv,
  ApiError,
  allow,
  createApi,
  namedSchemas,
  notFound,
  SessionMovedError,
} from './api';
import { commandsApi } from './commands';
import { eventsApi } from './events';
import { historyApi } from './history';
import { mountMcp } from './mcp';
import { notesApi } from './notes';
import { createPeopleApi } from './people';
import { sessionsApi } from './sessions';
import { settingsApi } from './settings';
import { transcriptContentsApi } from './transcript-contents';
import { transcriptsApi } from './transcripts';

const PREFIX = '/api/v1';

type ReadSettings = Pick<ServerContext['settings'], 'idleAfterMinutes' | 'sendsCommands'>;
type ReadContext = Pick<ServerContext, 'sql' | 'auth' | 'version' | 'secrets'> &
  Partial<Pick<ServerContext, 'accounts' | 'replica' | 'budgets'>> & { settings: ReadSettings };

/** A route of the API, for tests that must know all of them. */
type ApiRoute = Record<'method' | 'path', string>;

/** @param work closed with the endpoint */
export function createReadApi(
  { sql, auth, accounts = null, replica = null, settings, version, secrets, budgets }: ReadContext,
  now: () => number = Date.now,
  work: ContentsWork & { close?(): Promise<void> } = inProcessWork,
): Endpoint & { routes: ApiRoute[] } {
  const app = new Hono<ApiEnv>();
  app.use(compress());
  app.use(async (c, next) => {
    c.set('sql', sql);
    c.set('replica', replica);
    c.set('clock', { nowMs: now(), idleAfterMs: settings.idleAfterMinutes * 60_000 });
    c.set('work', work);
    c.set('sendsCommands', settings.sendsCommands);
    c.set('secrets', secrets);
    c.set('auth', auth);
    c.set('budgets', budgets);
    await next();
  });
  app.use(methodNotAllowed({ app, onMethodNotAllowed: refuseMethod }));
  app.use(validate);
  app.route(PREFIX, mountRoutes(version, accounts, sql));
  mountMcp(app, PREFIX, version);
  app.notFound(async (c) => {
    await allow('read', 'admin')(c, async () => undefined);
    return fail(
      c,
      new ApiError(404, 'not_found', '', `No endpoint at this path. See ${PREFIX}/openapi.json.`),
    );
  });
  app.onError(answerError);

  const isRoute = ({ method, path }: ApiRoute) => method !== 'ALL' || path === `${PREFIX}/mcp`;
  return {
    routes: app.routes.filter(isRoute).map(({ method, path }) => ({ method, path })),
    async handleRequest(req, res) {
      const failures: unknown[] = [];
      const fail = (error: unknown) => void failures.push(error);
      const listen = getRequestListener(
        (request, env) => app.fetch(request, { ...(env as HttpBindings), fail }),
        {
          // Next shares the process and its global Request and Response.
          overrideGlobalObjects: false,
          errorHandler: fail,
        },
      );
      await listen(req, res);
      if (failures.length > 0) throw failures[0];
    },
    close: async () => work.close?.(),
  };
}

/** All resources, and the document that describes them. */
function mountRoutes(
  version: string,
  accounts: ServerContext['accounts'],
  sql: ServerContext['sql'],
): OpenAPIHono<ApiEnv> {
  const api = createApi();
  const resources = [
    sessionsApi,
    eventsApi,
    notesApi,
    commandsApi,
    alertsApi,
    historyApi,
    settingsApi,
    transcriptsApi,
    transcriptContentsApi,
    ...(accounts ? [createPeopleApi(accounts.origin, sql)] : []),
  ];
  for (const resource of resources) api.route('/', resource);
  let document: object | null = null;
  api.get('/openapi.json', allow('read'), (c) => {
    document ??= describe(api, version);
    return c.json(document);
  });
  return api;
}

function describe(api: OpenAPIHono<ApiEnv>, version: string): object {
  const document = api.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Barograph read API',
      version,
      description:
        'Context pressure of agent sessions, as stored. Token counts are whole numbers of tokens, times are ' +
        'ISO 8601 in UTC, shares are fractions of 1. `null` means unknown, never zero.',
    },
    servers: [{ url: PREFIX }],
    security: [{ token: [] }],
  });
  const token = {
    type: 'http',
    scheme: 'bearer',
    description: 'A token of scope `read`, or `admin` for changes. Pages of this server need none.',
  };
  return { ...document, components: { schemas: namedSchemas(), securitySchemes: { token } } };
}

const addTag = etag();

/** Add an ETag to every cacheable answer, so that a client that already has it gets 304 without a body. */
async function validate(c: ApiContext, next: () => Promise<void>): Promise<void> {
  await next();
  if (c.res.status !== 200 || c.res.headers.has('Cache-Control')) return;
  c.header('Cache-Control', 'private, no-cache');
  c.header('Vary', 'Authorization, Cookie');
  await addTag(c, () => Promise.resolve());
}

/** @throws errors of the server, which the HTTP server logs and answers */
function answerError(error: unknown, c: ApiContext): Response {
  if (error instanceof SessionMovedError) {
    const { pathname, search } = new URL(c.req.url);
    const location = pathname.replace(/\/sessions\/[^/]+/, `/sessions/${error.id}`) + search;
    return c.body(null, 308, { Location: location, 'Cache-Control': 'no-store' });
  }
  const known = asApiError(error);
  if (!known) throw error;
  return fail(c, known);
}

function asApiError(error: unknown): ApiError | null {
  if (error instanceof ApiError) return error;
  if (error instanceof InvalidParameterError) {
    return new ApiError(400, 'invalid_parameter', error.field, error.reason);
  }
  if (error instanceof ChunkDamagedError) {
    return notFound(
      'id',
      'bytes of this transcript are damaged; the next upload of the same bytes repairs it',
    );
  }
  if (error instanceof TranscriptGoneError) return notFound('id', 'the transcript was deleted');
  if (error instanceof ContentsTooHeavyError) {
    return new ApiError(
      400,
      'too_heavy',
      'id',
      `${error.message}; request a smaller part, or download the file`,
    );
  }
  if (error instanceof HTTPException && error.status === 400) {
    return new ApiError(400, 'invalid_body', '', 'The body is not valid JSON.');
  }
  return null;
}

function fail(c: ApiContext, { status, code, field, reason, headers }: ApiError): Response {
  const body: ErrorBody = { error: { code, field, reason } };
  return c.json(body, status, { 'Cache-Control': 'no-store', ...headers });
}

async function refuseMethod(c: ApiContext, methods: string[]): Promise<Response> {
  const allowed = methods.join(', ');
  await allow('read', 'admin')(c, async () => undefined);
  return fail(
    c,
    new ApiError(405, 'method_not_allowed', '', `Allowed methods: ${allowed}.`, { Allow: allowed }),
  );
}
