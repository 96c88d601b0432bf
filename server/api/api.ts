/** Context and errors of the API. */
import type { HttpBindings } from '@hono/node-server';
import { OpenAPIHono } from '@hono/zod-openapi';
import type { Context, MiddlewareHandler } from 'hono';
import type postgres from 'postgres';
import * as z from 'zod';
import type { Delayed } from '../../core/api/history';
import { type Actor, may, projectsOf, type Right } from '../../core/identity/actor';
import type { Clock } from '../../db/queries/clock';
import { findSession, type SessionRef } from '../../db/queries/find-session';
import { limitReads } from '../../db/queries/limit-reads';
import { READ_ONLY } from '../../db/transact';
import type { ContentsWork } from '../../db/transcripts/contents/contents-work';
import type { SecretBox } from '../alerts/secret-box';
import type { Authenticator } from '../auth/authenticator';
import { authorize } from '../auth/authorize';
import type { Account, Budgets } from '../http/budgets';
import { readBody } from '../ingest/read-body';
import type { Replica } from '../replica';

export interface ApiEnv {
  /** `fail` reports an error after the headers were sent. */
  Bindings: HttpBindings & { fail(error: unknown): void };
  Variables: {
    sql: postgres.Sql;
    replica: Replica | null;
    clock: Clock;
    work: ContentsWork;
    auth: Authenticator;
    budgets: Budgets | undefined;
    sendsCommands: boolean;
    secrets: SecretBox;
    /** Who sends the request, and the rights that the route requires. Set by `allow`. */
    caller: Actor;
    rights: readonly Right[];
    /** Set by `allow`. */
    account: Account | undefined;
    /** Name of the caller, for the audit log. Set by `allow`. */
    actor: string;
  };
}
export type ApiContext = Context<ApiEnv>;

export class ApiError extends Error {
  override readonly name = 'ApiError';

  /** @param field the invalid parameter or field of the body; empty for other errors. */
  constructor(
    readonly status: 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 429,
    readonly code: string,
    readonly field: string,
    readonly reason: string,
    readonly headers: Record<string, string> = {},
  ) {
    super(reason);
  }
}

export const notFound = (field: string, reason: string): ApiError =>
  new ApiError(404, 'not_found', field, reason);

export const noSession = (): ApiError => notFound('id', 'there is no session with this id');

/** The session now has another public id. The answer is a redirect. */
export class SessionMovedError extends Error {
  override readonly name = 'SessionMovedError';

  constructor(readonly id: string) {
    super(`the session moved to ${id}`);
  }
}

/** Whether the caller has the rights of the route in a project. Null: in what belongs to no project. */
export function mayHere(c: ApiContext, project: string | null): boolean {
  return may(c.var.caller, c.var.rights, project);
}

/**
 * Find a session of the caller's projects.
 * @throws ApiError; SessionMovedError if another session adopted this one.
 */
export async function requireSession(c: ApiContext, id: string): Promise<SessionRef> {
  const ref = await findSession(c.var.sql, id);
  if (!ref || !mayHere(c, ref.project)) throw noSession();
  if (ref.publicId !== id.toLowerCase()) throw new SessionMovedError(ref.publicId);
  return ref;
}

/** Admit callers with one of the rights in some project. @throws ApiError 400, 401 or 403 */
export function allow(...rights: Right[]): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    const access = await authorize(c.var.auth, {
      request: c.env.incoming,
      url: new URL(c.req.url),
      rights,
      allowPages: true,
      changes: c.req.method !== 'GET' && c.req.method !== 'HEAD',
    });
    if (!access.ok) {
      const headers = access.status === 401 ? { 'WWW-Authenticate': 'Bearer realm="barograph"' } : undefined;
      throw new ApiError(access.status, access.code, '', access.reason, headers);
    }
    c.set('caller', access.actor);
    c.set('rights', rights);
    c.set('actor', access.actor.name);
    c.set('sql', limitReads(c.var.sql, projectsOf(access.actor, rights)));
    const account = c.var.budgets?.open(c.env.incoming, access.actor.name);
    c.set('account', account);
    const leave = account?.enter('REQUESTS');
    if (typeof leave === 'object') {
      const { reason, retryAfterSeconds } = leave;
      throw new ApiError(429, 'rate_limited', '', reason, { 'Retry-After': `${retryAfterSeconds}` });
    }
    const { outgoing } = c.env;
    // A file is still being sent when its handler ends.
    const leaveAtEnd = () => (outgoing.destroyed ? leave?.() : void outgoing.once('close', () => leave?.()));
    await next().finally(leaveAtEnd);
  };
}

/** Lets the requests of a caller take turns. Follows `allow`, and the reading of a body. */
export const takeTurn: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const end = await c.var.account?.turn();
  await next().finally(end);
};

/** Read what may be some seconds old: from the replica if it can be used, else from the primary. */
export async function readBehind<T>(
  c: ApiContext,
  read: (sql: postgres.Sql) => Promise<T>,
): Promise<Delayed<T>> {
  const { caller, rights, replica } = c.var;
  const found = await replica?.read((sql) => read(limitReads(sql, projectsOf(caller, rights), READ_ONLY)));
  return { ...(found?.value ?? (await read(c.var.sql))), behindMs: found?.behindMs ?? null };
}

/** Admit callers with the rights of the route on the server itself. @throws ApiError 403 */
export const requireServer: MiddlewareHandler<ApiEnv> = async (c, next) => {
  if (!mayHere(c, null)) {
    throw new ApiError(
      403,
      'forbidden',
      '',
      'This request needs rights on the whole server; yours are limited to projects.',
    );
  }
  await next();
};

const MAX_BODY_BYTES = 64 * 1024;

/**
 * Read the body up to its limit, before its shape is checked. The body must be declared as JSON, because a form of
 * another site cannot send JSON without a preflight request.
 * @throws ApiError 400, 413 or 415
 */
export const readJson: MiddlewareHandler<ApiEnv> = async (c, next) => {
  if (c.req.header('Content-Type') === undefined) {
    const reason = 'The body must be JSON: send it with "Content-Type: application/json".';
    throw new ApiError(415, 'unsupported_media_type', '', reason);
  }
  const body = await readBody(c.env.incoming, MAX_BODY_BYTES);
  if (!body.ok) throw new ApiError(body.status, body.code, '', body.reason);
  // Hono stores promises here, although its type declares the values.
  Object.assign(c.req.bodyCache, { text: Promise.resolve(body.text) });
  await next();
};

const shapes = z.registry<{ id: string }>();

/** Give a shape its name in the OpenAPI document. */
export function named<T extends z.ZodType>(id: string, shape: T): T {
  shapes.add(shape, { id });
  return shape.meta({ id });
}

/** JSON schemas of all named shapes, as `components.schemas` of the document. */
export function namedSchemas(): Record<string, object> {
  const { schemas } = z.toJSONSchema(shapes, { uri: (id) => `#/components/schemas/${id}` });
  return Object.fromEntries(
    Object.entries(schemas).map(([name, { $schema: _dialect, $id: _id, ...schema }]) => [name, schema]),
  );
}

/** A group of routes. The group refuses input that does not match the shapes of the routes. */
export function createApi(): OpenAPIHono<ApiEnv> {
  return new OpenAPIHono<ApiEnv>({
    defaultHook(result, c) {
      if (!result.success) throw describeProblem(result.error, result.target !== 'json', c);
    },
  });
}

/** The first invalid field, by its path in the address or the body, as in `thresholds.warning`. */
function describeProblem({ issues }: z.ZodError, isAddress: boolean, c: ApiContext): ApiError {
  const code = isAddress ? 'invalid_parameter' : 'invalid_body';
  const unknown = issues.find((issue) => issue.code === 'unrecognized_keys');
  if (unknown) {
    const field = [...unknown.path, unknown.keys[0]?.slice(0, 100)].join('.');
    return new ApiError(400, isAddress ? 'unknown_parameter' : code, field, unknown.message);
  }
  const [issue] = issues;
  const field = (isAddress ? issue?.path[0]?.toString() : issue?.path.join('.')) ?? '';
  const isRepeated = isAddress && issue?.code !== 'too_big' && (c.req.queries(field)?.length ?? 0) > 1;
  return new ApiError(
    400,
    code,
    field,
    isRepeated ? 'is given more than once' : (issue?.message ?? 'is not valid'),
  );
}
