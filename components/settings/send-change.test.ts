import { afterEach, describe, expect, it, vi } from 'vitest';
import { sendChange } from './send-change';

const answer = (status: number, body: unknown) =>
  vi.stubGlobal('fetch', vi.fn().mockResolvedValue(new Response(JSON.stringify(body), { status })));

afterEach(() => vi.unstubAllGlobals());

describe('a change from our own page', () => {
  it('goes as JSON, and its answer comes back', async () => {
    answer(200, { version: '2' });
    expect(await sendChange('PATCH', '/projects/a/settings', { version: '1' })).toEqual({
      ok: true,
      value: { version: '2' },
    });
    expect(fetch).toHaveBeenCalledWith('/api/v1/projects/a/settings', {
      method: 'PATCH',
      headers: { 'Content-Type': 'application/json' },
      body: '{"version":"1"}',
    });
  });

  it('that is refused says which field and why', async () => {
    const error = { code: 'invalid_body', field: 'name', reason: 'must say whose it is' };
    answer(400, { error });
    expect(await sendChange('POST', '/tokens', {})).toEqual({ ok: false, ...error });
  });

  it('that finds no server, or one that is starting, says that too', async () => {
    vi.stubGlobal('fetch', vi.fn().mockRejectedValue(new TypeError('Failed to fetch')));
    expect(await sendChange('DELETE', '/tokens/1')).toMatchObject({ ok: false, code: 'unreachable' });
    answer(503, { error: { code: 'starting', reason: 'The server is starting.' } });
    expect(await sendChange('DELETE', '/tokens/1')).toEqual({
      ok: false,
      code: 'starting',
      field: '',
      reason: 'The server is starting.',
    });
    vi.stubGlobal('fetch', vi.fn().mockResolvedValue(new Response('<html>', { status: 502 })));
    expect(await sendChange('DELETE', '/tokens/1')).toMatchObject({ code: 'unreachable' });
  });
});
