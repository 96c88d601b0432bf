/** What an entry of the API that changes something is. Operators' pages and programs of scope `admin` use them. */
import type postgres from 'postgres';
import type { z } from 'zod';
import { type FoundEntry, findEntry } from './route-entry';

export type ChangeAnswer =
  | { ok: true; status: 200 | 201; body: unknown }
  | {
      ok: false;
      status: 400 | 404 | 409;
      code: string;
      field: string;
      reason: string;
      /** What stands now, for whoever would have written over it. */
      current?: unknown;
    };

export interface ChangeRequest {
  sql: postgres.Sql;
  /** The `{id}` or `{name}` of the path, decoded; empty where it has none. */
  id: string;
  /** What stands in place of a second `{…}` of the path, decoded; empty where it has none. */
  innerId: string;
  body: unknown;
  /** The server's time, milliseconds. */
  now: number;
  /** Who asks, for the audit log: a token's name, or `browser`. */
  actor: string;
}

export interface ChangeEntry {
  method: 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Below `/api/v1`, as the read API writes paths. */
  path: string;
  operation: string;
  summary: string;
  /** Null: the request has no body. */
  body: z.ZodObject | null;
  response: z.ZodType;
  /** Shape of the answer when somebody changed it meanwhile; default that of every error. */
  conflict?: z.ZodType;
  handle(request: ChangeRequest): Promise<ChangeAnswer>;
}

/** Joins the shape of the body and what it is used for, so that types follow. */
export function change<T extends z.ZodRawShape>(
  definition: Omit<ChangeEntry, 'body' | 'handle'> & {
    body: z.ZodObject<T>;
    apply(request: ChangeRequest, body: z.infer<z.ZodObject<T>>): Promise<ChangeAnswer>;
  },
): ChangeEntry {
  const { apply, body, ...rest } = definition;
  return { ...rest, body, handle: (request) => apply(request, body.parse(request.body)) };
}

export function findChange(
  entries: readonly ChangeEntry[],
  method: string,
  path: string,
): FoundEntry<ChangeEntry> | null {
  return findEntry(
    entries.filter((entry) => entry.method === method),
    path,
  );
}

/** Methods besides reading that a path takes. */
export function methodsOf(entries: readonly ChangeEntry[], path: string): string[] {
  return entries.filter((entry) => findEntry([entry], path) !== null).map(({ method }) => method);
}
