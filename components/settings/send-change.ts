/** Sends a change from our own page, and says what came of it in a way a form can show. */
import type { ErrorBody } from '@/core/api/responses';

export type Sent<T> =
  | { ok: true; value: T }
  | {
      ok: false;
      /** `unreachable`: nothing came back; else the server's own code. */
      code: string;
      /** Name of the field at fault; empty: none, or the whole. */
      field: string;
      /** A sentence or its end, behind the field's name. */
      reason: string;
    };

/**
 * Never throws: what fails is an outcome. The shapes of answers (core/api/settings.ts) are the server's promise and
 * not checked again here: the checker compiles its checks, which the page's policy refuses.
 */
export async function sendChange<T>(
  method: 'POST' | 'PATCH' | 'DELETE',
  path: string,
  body?: unknown,
): Promise<Sent<T>> {
  return settle<T>(
    fetch(`/api/v1${path}`, {
      method,
      ...(body === undefined
        ? {}
        : { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
    }),
  );
}

/** Reads something anew, past every cache. */
export function readAgain<T>(path: string): Promise<Sent<T>> {
  return settle<T>(fetch(`/api/v1${path}`, { cache: 'no-store' }));
}

async function settle<T>(asked: Promise<Response>): Promise<Sent<T>> {
  try {
    const response = await asked;
    const body: unknown = await response.json();
    if (response.ok) return { ok: true, value: body as T };
    const { error } = body as Partial<ErrorBody>;
    if (error) return { ok: false, code: error.code, field: error.field ?? '', reason: error.reason };
  } catch {
    // No connection, or an answer that is none of this API's.
  }
  return {
    ok: false,
    code: 'unreachable',
    field: '',
    reason: 'The server does not answer, so nothing is known to have changed. Try again in a moment.',
  };
}
