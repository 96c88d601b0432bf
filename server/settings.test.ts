import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { findUnreadSettings, readSettings } from './settings';

const folder = mkdtempSync(join(tmpdir(), 'barograph-settings-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => vi.unstubAllEnvs());

const write = (...lines: string[]) => writeFileSync(join(folder, '.env'), lines.join('\r\n'));
function read(...lines: string[]) {
  write(...lines);
  return readSettings(folder);
}

test('uses defaults without settings', () => {
  expect(read()).toEqual({
    port: 4680,
    host: '127.0.0.1',
    dataFolder: expect.stringMatching(/^\/.*barograph$/),
    isDefaultDataFolder: true,
    databaseUrl: null,
    databaseDirectUrl: null,
    natsServers: [],
    databaseOwnerUrl: null,
    databaseReadUrl: null,
    archiveStore: { address: null, endpoint: null, region: null, pathStyle: false },
    databaseConnections: 16,
    logLevel: 'info',
    statementSeconds: 60,
    limits: expect.objectContaining({ ITEMS: 3_000_000, CONNECTIONS: 2_000 }),
    idleAfterMinutes: 10,
    alertsMayGoPrivate: false,
    secretsKey: null,
    role: 'all',
    sendsCommands: false,
    accounts: false,
    edge: { publicUrl: null, proxies: expect.anything(), hasProxies: false, tls: null },
    singleSignOn: null,
  });
});

test('reads the address of an archive store, and refuses others', () => {
  expect(read('BAROGRAPH_ARCHIVE_STORE=file:///srv/archives/').archiveStore.address).toBe(
    'file:///srv/archives',
  );
  for (const address of ['s3://', 's3://Bucket', '/srv', 'file://host/x', 'https://x', 's3://b/a b'])
    expect(() => read(`BAROGRAPH_ARCHIVE_STORE=${address}`)).toThrow(
      'is not file:///folder or s3://bucket/prefix',
    );
  const lines = ['BAROGRAPH_ARCHIVE_STORE=s3://b.x/of/all', 'BAROGRAPH_S3_PATH_STYLE=on'];
  expect(read(...lines).archiveStore).toMatchObject({ address: 's3://b.x/of/all', pathStyle: true });
  expect(() => read('BAROGRAPH_S3_ENDPOINT=minio:9000')).toThrow('BAROGRAPH_S3_ENDPOINT: the value is not');
});

test('reads .env with quotes and comments, and prefers the environment', () => {
  vi.stubEnv('BAROGRAPH_ROLE', 'web');
  expect(
    read(
      '# comment',
      'BAROGRAPH_PORT=1',
      ' export BAROGRAPH_LOG_LEVEL = warn # why',
      "BAROGRAPH_DATA_DIR='/x # y'",
      'BAROGRAPH_IDLE_AFTER_MINUTES="7" # r',
      'BAROGRAPH_DATABASE_CONNECTIONS=#c',
      'DATABASE_URL=postgres://h/a#b',
      'no line',
      'BAROGRAPH_ROLE=ingest',
    ),
  ).toMatchObject({
    port: 1,
    logLevel: 'warn',
    dataFolder: '/x # y',
    isDefaultDataFolder: false,
    idleAfterMinutes: 7,
    databaseConnections: 16,
    databaseUrl: 'postgres://h/a#b',
    role: 'web',
  });
});

const TEAM = ['BAROGRAPH_AUTH=on', 'BAROGRAPH_PUBLIC_URL=https://b.example.org'];

test('binds another address for people with accounts only, behind a named proxy or with TLS', () => {
  const proxied = read(...TEAM, 'BAROGRAPH_HOST=0.0.0.0', 'BAROGRAPH_TRUSTED_PROXIES=10.0.0.2, fd00::/8');
  expect(proxied).toMatchObject({ host: '0.0.0.0', accounts: true, edge: { hasProxies: true, tls: null } });
  expect(proxied.edge.proxies.check('fd00::7', 'ipv6')).toBe(true);
  expect(proxied.edge.proxies.check('10.0.0.3')).toBe(false);
  const file = join(folder, '.env');
  const secure = read(
    ...TEAM,
    'BAROGRAPH_TLS_LISTEN=[::]:443',
    `BAROGRAPH_TLS_CERT=${file}`,
    `BAROGRAPH_TLS_KEY=${file}`,
  );
  expect(secure.edge.tls).toEqual({ host: '::', port: 443, certFile: file, keyFile: file });
  expect(secure.host).toBe('127.0.0.1');
});

test.each([
  [[...TEAM, 'BAROGRAPH_HOST=0.0.0.0'], /^BAROGRAPH_HOST: .*BAROGRAPH_TRUSTED_PROXIES/],
  [['BAROGRAPH_TRUSTED_PROXIES=10.0.0.2'], /^BAROGRAPH_TRUSTED_PROXIES: other machines need accounts/],
  [['BAROGRAPH_TLS_LISTEN=0.0.0.0:443'], /^BAROGRAPH_TLS_LISTEN: other machines need accounts/],
  [['BAROGRAPH_AUTH=on', 'BAROGRAPH_TLS_LISTEN=0.0.0.0:443'], /^BAROGRAPH_PUBLIC_URL: set the https/],
  [[...TEAM, 'BAROGRAPH_TLS_LISTEN=0.0.0.0:443'], /^BAROGRAPH_TLS_CERT: name the file/],
  [[...TEAM, 'BAROGRAPH_TLS_LISTEN=443'], /^BAROGRAPH_TLS_LISTEN: "443" is not address:port/],
  [[...TEAM, 'BAROGRAPH_TRUSTED_PROXIES=proxy.local'], /^BAROGRAPH_TRUSTED_PROXIES: must be IP addresses/],
  [['BAROGRAPH_PUBLIC_URL=http://b.example.org'], /^BAROGRAPH_PUBLIC_URL: .* must be an https:/],
  [['BAROGRAPH_PUBLIC_URL=https://b.example.org/x'], /^BAROGRAPH_PUBLIC_URL: .* without a path/],
  [['BAROGRAPH_OIDC_ISSUER=https://id.example.org'], /^BAROGRAPH_OIDC_CLIENT_ID: single sign-on needs/],
])('refuses %j', (lines, reason) => {
  expect(() => read(...lines)).toThrow(reason);
});

test('lists settings of runners in .env', () => {
  write('BAROGRAPH_PORT=1', 'BAROGRAPH_DATA_DIR=/x', 'BAROGRAPH_TOKEN=', 'BAROGRAPH_CONTENT=off');
  expect(findUnreadSettings(folder)).toEqual(['BAROGRAPH_CONTENT']);
});

test.each(['127.0.0.1', '127.8.9.1', '::1', '[::1]', 'localhost'])(
  'binds the loopback address %s',
  (host) => {
    expect(read(`BAROGRAPH_HOST=${host}`).host).toBe(host.replace(/[[\]]/g, ''));
  },
);

test.each([
  ...['0.0.0.0', '::', '192.168.1.4', 'example.org', '127.0.0.256', '128.0.0.1'].map((host) => [
    `BAROGRAPH_HOST=${host}`,
    /^BAROGRAPH_HOST: ".+" is refused: everyone who can reach the port would see all data/,
  ]),
  // The error omits the value, which may contain a password.
  ['DATABASE_URL=mysql://u:secret@h/d', /^DATABASE_URL: (?!.*secret)/],
  ['DATABASE_DIRECT_URL=postgres://u:secret@h/d', /^DATABASE_DIRECT_URL: (?!.*secret).*DATABASE_URL/],
  ['DATABASE_URL=secret', /^DATABASE_URL: (?!.*secret)/],
  ['NATS_URL=nats://n1, http://u:secret@n2', /^NATS_URL: (?!.*secret)/],
  ['DATABASE_READ_URL=postgres://u:secret@h/d', /^DATABASE_READ_URL: (?!.*secret).*DATABASE_URL/],
  ['DATABASE_OWNER_URL=postgres://u:secret@h/d', /^DATABASE_OWNER_URL: (?!.*secret)/],
  ['BAROGRAPH_SECRETS_KEY=00ff', /^BAROGRAPH_SECRETS_KEY: (?!.*00ff)/],
  ['BAROGRAPH_PORTS=1', 'BAROGRAPH_PORT?'],
] as [string, RegExp | string][])('refuses %s', (line, reason) => {
  expect(() => read(line)).toThrow(reason);
});
