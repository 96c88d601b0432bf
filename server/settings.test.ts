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
    databaseConnections: 16,
    logLevel: 'info',
    idleAfterMinutes: 10,
    role: 'all',
  });
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
    /^BAROGRAPH_HOST: ".+" is refused: until Barograph has accounts/,
  ]),
  // The error omits the value, which may contain a password.
  ['DATABASE_URL=mysql://u:secret@h/d', /^DATABASE_URL: (?!.*secret)/],
  ['DATABASE_URL=secret', /^DATABASE_URL: (?!.*secret)/],
  ['BAROGRAPH_PORTS=1', 'BAROGRAPH_PORT?'],
] as [string, RegExp | string][])('refuses %s', (line, reason) => {
  expect(() => read(line)).toThrow(reason);
});
