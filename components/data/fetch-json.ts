import type { ErrorBody } from '@/core/api/responses';

const READ_TIMEOUT_MS = 30_000;

/** A failed request to the API. `message` is the server's reason. */
export class ApiError extends Error {
  constructor(
    /** HTTP status; 0: no usable answer. */
    readonly status: number,
    /** The server's error code. Without a code: `http_<status>`, or `unreachable`. */
    readonly code: string,
    /** The invalid parameter or body field; empty: none. */
    readonly field: string,
    reason: string,
    readonly body: unknown = null,
  ) {
    super(reason);
    this.name = 'ApiError';
  }
}

interface FetchJsonOptions {
  signal?: AbortSignal;
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Sent as JSON. */
  body?: unknown;
  cache?: RequestCache;
}

/**
 * @param path with its prefix and search: `/api/v1/…`
 * @throws ApiError; the signal's reason when the caller aborts
 */
export async function fetchJson<T>(path: string, options: FetchJsonOptions = {}): Promise<T> {
  const { signal, method = 'GET', body, ...rest } = options;
  const limits = [signal ?? [], method === 'GET' ? AbortSignal.timeout(READ_TIMEOUT_MS) : []].flat();
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  try {
    const response = await fetch(path, {
      method,
      ...rest,
      signal: AbortSignal.any(limits),
      headers: { accept: 'application/json', ...type },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return await readAnswer<T>(response);
  } catch (error) {
    if (error instanceof ApiError || signal?.aborted) throw error;
    throw new ApiError(0, 'unreachable', '', 'the server does not respond');
  }
}

async function readAnswer<T>(response: Response): Promise<T> {
  if (response.ok) return (await response.json()) as T;
  // The log-in has ended: the server redirects the reloaded page to the log-in page.
  if (response.status === 401 && isLoggedIn()) location.reload();
  const body = (await response.json().catch(() => null)) as Partial<ErrorBody> | null;
  const { code = `http_${response.status}`, field = '', reason } = body?.error ?? {};
  throw new ApiError(response.status, code, field, reason || `the server answered ${response.status}`, body);
}

export function mayRetry(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500);
}

const isLoggedIn = (): boolean =>
  typeof document !== 'undefined' && 'account' in document.documentElement.dataset;
