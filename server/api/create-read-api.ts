/**
 * `/api/v1`: reads for programs and for the pages, and what operators may change. It owns nothing but a cache of
 * verified tokens.
 */
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ErrorBody } from '../../core/api/responses';
import { InvalidParameterError } from '../../db/queries/invalid-parameter-error';
import { type ContentsWork, inProcessWork } from '../../db/transcripts/contents/contents-work';
import { type HeldUpReads, NOTHING_HELD_UP } from '../../db/transcripts/held-up-reads';
import { createAuthenticator } from '../auth/authenticator';
import { authorize } from '../auth/authorize';
import { answerJson } from '../http/answers';
import type { Endpoint, ServerContext } from '../http/endpoint';
import { isLoopback } from '../http/loopback';
import { answerBytes } from './answer-bytes';
import { buildOpenApi } from './build-open-api';
import {
  type ChangeAnswer,
  type ChangeEntry,
  type ChangeRequest,
  findChange,
  methodsOf,
} from './change-entry';
import { changeRoutes } from './change-routes';
import { readChange } from './read-change';
import type { Answer, AnsweredFile, StreamedFile } from './route-entry';
import { findRoute } from './routes';

const PREFIX = '/api/v1';

const READ = ['read'] as const;
const ADMIN = ['admin'] as const;

type ReadSettings = Pick<ServerContext['settings'], 'host' | 'idleAfterMinutes'>;

export function createReadApi(
  context: Pick<ServerContext, 'sql' | 'version'> & { settings: ReadSettings; heldUp?: HeldUpReads },
  now: () => number = Date.now,
  work: ContentsWork = inProcessWork,
): Endpoint {
  const { sql, settings, version, heldUp = NOTHING_HELD_UP } = context;
  const authenticator = createAuthenticator(sql);
  const allowSameOrigin = isLoopback(settings.host);
  let openApi: unknown = null;

  return {
    async handleRequest(req, res, url) {
      const path = url.pathname.slice(PREFIX.length);
      const isRead = req.method === 'GET' || req.method === 'HEAD';
      const read = findRoute(path);
      const change = isRead ? null : findChange(changeRoutes, req.method ?? '', path);
      const access = await authorize(authenticator, {
        headers: req.headers,
        url,
        scope: change ? ADMIN : (read?.route.scopes ?? READ),
        allowSameOrigin,
        changes: !isRead,
      });
      if (!access.ok) {
        if (access.status === 401) res.setHeader('WWW-Authenticate', 'Bearer realm="barograph"');
        return fail(res, access.status, access.code, '', access.reason);
      }
      if (change) {
        const { route, id, innerId } = change;
        return handleChange(req, res, route, { sql, id, innerId, now: now(), actor: access.name });
      }
      const others = methodsOf(changeRoutes, path);
      if (!isRead && (read || others.length > 0)) {
        const allowed = [...(read ? ['GET', 'HEAD'] : []), ...others].join(', ');
        res.setHeader('Allow', allowed);
        return fail(res, 405, 'method_not_allowed', '', `This path takes ${allowed}.`);
      }
      if (path === '/openapi.json') {
        openApi ??= buildOpenApi(version);
        return answer(req, res, openApi);
      }
      if (!read)
        return fail(res, 404, 'not_found', '', `There is nothing at this path. See ${PREFIX}/openapi.json.`);

      const { route, id } = read;
      const clock = { nowMs: now(), idleAfterMs: settings.idleAfterMinutes * 60_000 };
      const result = await settle(
        route.handle({ sql, clock, id, search: url.searchParams, work, heldUp, actor: access.name }),
      );
      switch (result.type) {
        case 'found':
          return result.isSecret ? answerOnce(req, res, result.body) : answer(req, res, result.body);
        case 'made':
          return answerMade(req, res, result);
        case 'file':
          return save(req, res, result.file);
        case 'stream':
          return stream(req, res, result.file);
        case 'bytes':
          return answerBytes(req, res, result.file);
        case 'moved':
          return redirect(res, `${PREFIX}${route.path.replace('{id}', result.id)}${url.search}`);
        case 'not_found':
          return fail(res, 404, 'not_found', 'id', 'there is no session of this id');
        case 'missing':
          return fail(res, 404, 'not_found', result.field, result.reason);
        case 'invalid':
          return fail(res, 400, result.problem.code, result.problem.field, result.problem.reason);
      }
    },
    close: () => Promise.resolve(),
  };
}

async function handleChange(
  req: IncomingMessage,
  res: ServerResponse,
  entry: ChangeEntry,
  request: Omit<ChangeRequest, 'body'>,
): Promise<void> {
  const body = await readChange(req, entry.body);
  if (!body.ok) return fail(res, body.status, body.code, body.field, body.reason);
  const result: ChangeAnswer = await entry.handle({ ...request, body: body.value });
  if (!result.ok) {
    const { status, code, field, reason, current } = result;
    return fail(res, status, code, field, reason, current);
  }
  answerJson(res, result.status, result.body);
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

/** 200 that is kept nowhere. */
function answerOnce(req: IncomingMessage, res: ServerResponse, body: unknown): void {
  const text = `${JSON.stringify(body)}\n`;
  res.writeHead(200, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
  });
  res.end(req.method === 'HEAD' ? undefined : text);
}

/** As `answerOnce`, of bytes that are not touched again. */
function answerMade(
  req: IncomingMessage,
  res: ServerResponse,
  { contentType, parts }: Extract<Answer, { type: 'made' }>,
): void {
  const bytes = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
  res.writeHead(200, {
    'Content-Type': contentType,
    'Content-Length': bytes.length,
    'Cache-Control': 'no-store',
  });
  res.end(req.method === 'HEAD' ? undefined : bytes);
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

/**
 * Written no faster than the reader takes it. A file that breaks off ends without the end of its transfer, so
 * that no reader takes it for the whole; what broke it is the caller's to log.
 */
async function stream(
  req: IncomingMessage,
  res: ServerResponse,
  { name, contentType, chunks }: StreamedFile,
): Promise<void> {
  res.writeHead(200, {
    'Content-Type': contentType,
    'Content-Disposition': `attachment; filename="${name}"`,
    'Cache-Control': 'no-store',
  });
  if (req.method === 'HEAD') {
    res.end();
    return;
  }
  try {
    await pipeline(Readable.from(chunks, { highWaterMark: 1 }), res);
  } catch (error) {
    // The reader went away.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
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

function fail(
  res: ServerResponse,
  status: number,
  code: string,
  field: string,
  reason: string,
  current?: unknown,
): void {
  const body: ErrorBody & { current?: unknown } = { error: { code, field, reason }, current };
  const text = `${JSON.stringify(body)}\n`;
  res.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
  });
  res.end(text);
}
