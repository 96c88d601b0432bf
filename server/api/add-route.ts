/** Adds resources to the API. Access, shapes, errors and documentation of a route are in one place. */
import { createRoute, type OpenAPIHono } from '@hono/zod-openapi';
import * as z from 'zod';
import { noParameters } from '../../core/api/parameters';
import { errorBody } from '../../core/api/responses';
import type { Right } from '../../core/identity/actor';
import type { SessionRef } from '../../db/queries/find-session';
import {
  type ApiContext,
  type ApiEnv,
  allow,
  named,
  readJson,
  requireServer,
  requireSession,
  takeTurn,
} from './api';

export const NOT_KEPT = { 'Cache-Control': 'no-store' };

export const json = (schema: z.ZodType, description = 'OK') => ({
  description,
  content: { 'application/json': { schema } },
});

const error = named('Error', errorBody);
const accessErrors = {
  401: json(error, 'The token is missing, unknown or revoked'),
  403: json(error, 'The token lacks the scope'),
};
const movedSession = { 308: { description: 'The session moved to another id: see Location' } };
const readErrors = {
  304: { description: 'Unchanged since the ETag of the request' },
  400: json(error, 'A parameter is unknown or not valid'),
  ...accessErrors,
  404: json(error, 'Not found'),
};
const changeErrors = {
  400: json(error, 'A field of the body is unknown or not valid'),
  ...accessErrors,
  404: json(error, 'Not found'),
  409: json(error, 'Changed since it was read, or not possible now'),
};

interface Documented<Q extends z.ZodType, A extends z.ZodType> {
  operationId: string;
  summary: string;
  shape: A;
  /** Parameters of a read; none by default. */
  query?: Q;
  /** Rights of callers that the route admits. Default: `read` for a read, `admin` for a change. */
  rights?: Right[];
  /** The route concerns no project, so a caller with the rights in some projects only is refused. */
  ofServer?: true;
  /** The answer can also be saved as a file. */
  isFile?: true;
  /** No cache may keep the answer. */
  isPrivate?: true;
  responses?: Record<number, { description: string; content?: object }>;
}

interface Route<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType>
  extends Documented<Q, A> {
  params?: P;
  body?: B;
  status?: 201;
  /** Returns the body, or a complete response. */
  answer(
    c: ApiContext,
    input: { params: z.output<P>; query: z.output<Q>; body: z.output<B> },
  ): Promise<z.input<A> | Response>;
}

/**
 * Add a read (GET) or a change (never kept by a cache).
 * @param target method and path, as in `GET /sessions/{id}`
 */
export function addRoute<
  A extends z.ZodType,
  P extends z.ZodType = z.ZodType<never>,
  Q extends z.ZodType = typeof noParameters,
  B extends z.ZodType = z.ZodType<never>,
>(
  api: OpenAPIHono<ApiEnv>,
  target: `${'GET' | 'POST' | 'PATCH' | 'DELETE'} /${string}`,
  options: Route<P, Q, B, A>,
): void {
  const [method = '', path = ''] = target.split(' ');
  const { params, body, status = 200, operationId, summary } = options;
  const isRead = method === 'GET';
  const { rights = [isRead ? 'read' : 'admin'] } = options;
  const errors = isRead ? readErrors : changeErrors;
  const ok = json(options.shape);
  if (options.isFile) Object.assign(ok.content, { 'text/csv': { schema: z.string() } });
  const access = allow(...rights);
  const admit = options.ofServer ? [access, requireServer] : [access];
  const route = createRoute({
    method: method.toLowerCase() as 'get',
    path,
    operationId,
    summary,
    middleware: [...admit, ...(body ? [readJson] : []), takeTurn],
    request: {
      ...(params && { params: params as never }),
      ...(isRead && { query: (options.query ?? noParameters) as never }),
      ...(body && { body: { required: true, content: { 'application/json': { schema: body } } } }),
    },
    responses: {
      [status]: ok,
      ...(isRead && path.startsWith('/sessions/{id}') ? movedSession : {}),
      ...errors,
      ...options.responses,
    },
  });
  const headers = !isRead || options.isPrivate ? NOT_KEPT : undefined;
  api.openapi(route, (async (c: ApiContext) => {
    const valid = (part: string) => c.req.valid(part as never);
    const result = await options.answer(c, {
      params: valid('param'),
      query: valid('query'),
      body: valid('json'),
    });
    return result instanceof Response ? result : c.json(result, status, headers);
  }) as never);
}

export const sessionParams = z.object({ id: z.string().describe("The session's public id") });

interface SessionRead<Q extends z.ZodType, A extends z.ZodType> extends Documented<Q, A> {
  answer(c: ApiContext, session: SessionRef, query: z.output<Q>): Promise<z.input<A> | Response>;
}

export function addSessionRead<A extends z.ZodType, Q extends z.ZodType = typeof noParameters>(
  api: OpenAPIHono<ApiEnv>,
  path: string,
  options: SessionRead<Q, A>,
): void {
  addRoute(api, `GET /sessions/{id}${path}`, {
    ...options,
    params: sessionParams,
    answer: async (c, { params, query }) => options.answer(c, await requireSession(c, params.id), query),
  });
}
