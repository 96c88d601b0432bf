/** `/api/v1`: reads for programs and for the pages. It owns nothing but a cache of verified tokens. */
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ErrorBody } from '../../core/api/responses';
import { InvalidParameterError } from '../../db/queries/invalid-parameter-error';
import { createAuthenticator } from '../auth/authenticator';
import { authorize } from '../auth/authorize';
import type { Endpoint, ServerContext } from '../http/endpoint';
import { isLoopback } from '../http/loopback';
import { buildOpenApi } from './build-open-api';
import { type Answer, type AnsweredFile, findRoute } from './routes';

const PREFIX = '/api/v1';

type ReadSettings = Pick<ServerContext['settings'], 'host' | 'idleAfterMinutes'>;

export function createReadApi(
  context: Pick<ServerContext, 'sql' | 'version'> & { settings: ReadSettings },
  now: () => number = Date.now,
): Endpoint {
  const { sql, settings, version } = context;
  const authenticator = createAuthenticator(sql);
  const allowSameOrigin = isLoopback(settings.host);
  let openApi: unknown = null;

  return {
    async handleRequest(req, res, url) {
      const access = await authorize(authenticator, {
        headers: req.headers,
        url,
        scope: 'read',
        allowSameOrigin,
      });
      if (!access.ok) {
        if (access.status === 401) res.setHeader('WWW-Authenticate', 'Bearer realm="barograph"');
        return fail(res, access.status, access.code, '', access.reason);
      }
      if (req.method !== 'GET' && req.method !== 'HEAD') {
        res.setHeader('Allow', 'GET, HEAD');
        return fail(res, 405, 'method_not_allowed', '', 'This API is for reading: use GET.');
      }
      const path = url.pathname.slice(PREFIX.length);
      if (path === '/openapi.json') {
        openApi ??= buildOpenApi(version);
        return answer(req, res, openApi);
      }
      const match = findRoute(path);
      if (!match)
        return fail(res, 404, 'not_found', '', `There is nothing at this path. See ${PREFIX}/openapi.json.`);

      const { route, id } = match;
      const clock = { nowMs: now(), idleAfterMs: settings.idleAfterMinutes * 60_000 };
      const result = await settle(route.handle({ sql, clock, id, search: url.searchParams }));
      switch (result.type) {
        case 'found':
          return answer(req, res, result.body);
        case 'file':
          return save(req, res, result.file);
        case 'moved':
          return redirect(res, `${PREFIX}${route.path.replace('{id}', result.id)}${url.search}`);
        case 'not_found':
          return fail(res, 404, 'not_found', 'id', 'there is no session of this id');
        case 'invalid':
          return fail(res, 400, result.problem.code, result.problem.field, result.problem.reason);
      }
    },
    close: () => Promise.resolve(),
  };
}

/** What only the query could find wrong with a parameter is answered like what its shape finds. */
async function settle(result: Promise<Answer>): Promise<Answer> {
  try {
    return await result;
  } catch (error) {
    if (!(error instanceof InvalidParameterError)) throw error;
    const { field, reason } = error;
    return { type: 'invalid', problem: { code: 'invalid_parameter', field, reason } };
  }
}

/** 200 with a validator: a poller that has this answer already gets 304 and no body. */
function answer(req: IncomingMessage, res: ServerResponse, body: unknown): void {
  const text = `${JSON.stringify(body)}\n`;
  const tag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`;
  res.setHeader('ETag', tag);
  // Kept by the reader alone, and asked for every time.
  res.setHeader('Cache-Control', 'private, no-cache');
  res.setHeader('Vary', 'Authorization');
  if (isKnown(req.headers['if-none-match'], tag)) {
    res.writeHead(304).end();
    return;
  }
  res.writeHead(200, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
  });
  res.end(req.method === 'HEAD' ? undefined : text);
}

/** The reader's browser saves it, under a name that is ours. */
function save(req: IncomingMessage, res: ServerResponse, { name, contentType, text }: AnsweredFile): void {
  res.writeHead(200, {
    'Content-Type': contentType,
    'Content-Length': Buffer.byteLength(text),
    'Content-Disposition': `attachment; filename="${name}"`,
    'Cache-Control': 'no-store',
  });
  res.end(req.method === 'HEAD' ? undefined : text);
}

function isKnown(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((known) => {
    const trimmed = known.trim();
    return trimmed === '*' || trimmed.replace(/^W\//, '') === tag;
  });
}

function redirect(res: ServerResponse, location: string): void {
  res.writeHead(308, { Location: location, 'Cache-Control': 'no-store', 'Content-Length': 0 }).end();
}

function fail(res: ServerResponse, status: number, code: string, field: string, reason: string): void {
  const text = `${JSON.stringify({ error: { code, field, reason } } satisfies ErrorBody)}\n`;
  res.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
  });
  res.end(text);
}
