import { afterEach, describe, expect, it, vi } from 'vitest';
import { ApiError, fetchJson, mayRetry } from './fetch-json';

const answer = (body: unknown, status: number) => vi.fn(async () => Response.json(body, { status }));

async function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.unreachable('the request succeeded'),
    (error: unknown) => error,
  );
}

const bad = { code: 'bad_limit', field: 'limit' };
afterEach(() => vi.unstubAllGlobals());

describe('fetchJson', () => {
  it('returns the body of an answer', async () => {
    vi.stubGlobal('fetch', answer({ total: 3 }, 200));
    expect(await fetchJson('/api/v1/sessions')).toEqual({ total: 3 });
  });

  it('sends a body as JSON', async () => {
    const fetch = answer({}, 200);
    vi.stubGlobal('fetch', fetch);
    await fetchJson('/api/v1/tokens', { method: 'POST', body: { name: 'ci' } });
    const request = expect.objectContaining({ method: 'POST', body: '{"name":"ci"}' });
    expect(fetch).toHaveBeenCalledWith('/api/v1/tokens', request);
  });

  it.each([
    ['an error body', { error: { ...bad, reason: 'too low' } }, 400, { ...bad, message: 'too low' }, false],
    ['another body', {}, 503, { code: 'http_503', field: '', message: 'the server answered 503' }, true],
    ['a rate limit', {}, 429, { code: 'http_429', field: '', message: 'the server answered 429' }, true],
  ])('throws an ApiError for %s', async (_name, body, status, expected, retried) => {
    vi.stubGlobal('fetch', answer(body, status));
    const error = await failure(fetchJson('/api/v1/sessions'));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status, body, ...expected });
    expect(mayRetry(error)).toBe(retried);
  });

  it('reports a server that does not respond as unreachable', async () => {
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')));
    const error = await failure(fetchJson('/api/v1/sessions'));
    expect(error).toMatchObject({ status: 0, code: 'unreachable' });
    expect(mayRetry(error)).toBe(true);
  });

  it('rethrows the reason of an abort', async () => {
    const control = new AbortController();
    vi.stubGlobal('fetch', (_path: string, { signal }: RequestInit) => {
      control.abort();
      return Promise.reject(signal?.reason);
    });
    const error = await failure(fetchJson('/api/v1/sessions', { signal: control.signal }));
    expect(error).toBe(control.signal.reason);
    expect(mayRetry(error)).toBe(false);
  });
});
