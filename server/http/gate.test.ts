import { describe, expect, it } from 'vitest';
import { checkOrigin } from './gate';

const own = { host: '127.0.0.1:4680' };

describe('gate', () => {
  it.each(['127.0.0.1:4680', 'localhost:4680', 'LOCALHOST', '[::1]:4680', 'localhost:9999', '127.1.2.3'])(
    'passes a program that asks for %s',
    (host) => {
      expect(checkOrigin({ host })).toBeNull();
    },
  );

  it.each([
    'example.org',
    'localhost.example.org:4680',
    '10.0.0.1:4680',
    '0.0.0.0:4680',
    '127.0.0.1.nip.io',
    '[::2]',
  ])('refuses a host that is not this machine: %s', (host) => {
    expect(checkOrigin({ host })?.code).toBe('foreign_host');
  });

  it.each([undefined, '', 'a b', 'user@localhost', 'localhost/x', 'localhost:99999', 'localhost:4680,evil'])(
    'refuses a malformed host: %s',
    (host) => {
      expect(checkOrigin(host === undefined ? {} : { host })?.code).toBe('bad_host');
    },
  );

  it('passes a page of this origin', () => {
    expect(checkOrigin({ ...own, origin: 'http://127.0.0.1:4680' })).toBeNull();
    expect(
      checkOrigin({ ...own, origin: 'http://127.0.0.1:4680', 'sec-fetch-site': 'same-origin' }),
    ).toBeNull();
  });

  it.each([
    'http://localhost:4680',
    'http://127.0.0.1:3000',
    'https://127.0.0.1:4680',
    'https://example.org',
    'null',
    'http://127.0.0.1:4680.example.org',
  ])('refuses a page of another origin: %s', (origin) => {
    expect(checkOrigin({ ...own, origin })).toMatchObject({ status: 403, code: 'foreign_origin' });
  });

  it('refuses embedding and fetching by foreign pages without an Origin header', () => {
    for (const site of ['cross-site', 'same-site']) {
      expect(checkOrigin({ ...own, 'sec-fetch-site': site, 'sec-fetch-mode': 'no-cors' })?.status).toBe(403);
      const frame = { 'sec-fetch-site': site, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' };
      expect(checkOrigin({ ...own, ...frame })?.status).toBe(403);
    }
  });

  it('passes a typed address, and a link on another site', () => {
    const typed = { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
    expect(checkOrigin({ ...own, ...typed })).toBeNull();
    expect(checkOrigin({ ...own, ...typed, 'sec-fetch-site': 'cross-site' })).toBeNull();
  });
});
