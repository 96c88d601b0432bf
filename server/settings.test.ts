import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findUnreadSettings, parseEnvironmentFile, parseSettings } from './settings';

const around = { isRoot: false, home: '/home/ada' };

describe('server settings', () => {
  it('default every value', () => {
    expect(parseSettings({}, around)).toEqual({
      port: 4680,
      host: '127.0.0.1',
      dataFolder: '/home/ada/.local/share/barograph',
      isDefaultDataFolder: true,
      databaseUrl: null,
      databaseConnections: 16,
      logLevel: 'info',
      idleAfterMinutes: 10,
      role: 'all',
    });
  });

  it('lists settings in .env that only runners read', () => {
    const folder = mkdtempSync(join(tmpdir(), 'barograph-settings-'));
    try {
      expect(findUnreadSettings(folder)).toEqual([]);
      const lines = [
        'BAROGRAPH_PORT=1',
        'BAROGRAPH_DATA_DIR=/x',
        'BAROGRAPH_TOKEN=',
        'BAROGRAPH_CONTENT=off',
      ];
      writeFileSync(join(folder, '.env'), lines.join('\n'));
      expect(findUnreadSettings(folder)).toEqual(['BAROGRAPH_CONTENT']);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it.each(['127.0.0.1', '127.8.9.1', '::1', '[::1]', 'localhost'])('bind the loopback address %s', (host) => {
    expect(parseSettings({ BAROGRAPH_HOST: host }, around).host).toBe(host.replace(/[[\]]/g, ''));
  });

  it.each(['0.0.0.0', '::', '192.168.1.4', 'example.org', '127.0.0.256', '128.0.0.1'])(
    'refuse to bind %s',
    (host) => {
      expect(() => parseSettings({ BAROGRAPH_HOST: host }, around)).toThrow(
        /^BAROGRAPH_HOST: ".+" is refused: until Barograph has accounts/,
      );
    },
  );

  it('accept any PostgreSQL URL, and never repeat a bad one, which may hold a password', () => {
    const url = 'postgres://u:secret@db.example.org/barograph';
    expect(parseSettings({ DATABASE_URL: url }, around).databaseUrl).toBe(url);
    expect(() => parseSettings({ DATABASE_URL: 'mysql://u:secret@h/d' }, around)).toThrow(
      /^DATABASE_URL: (?!.*secret)/,
    );
    expect(() => parseSettings({ DATABASE_URL: 'secret' }, around)).toThrow(/^DATABASE_URL: (?!.*secret)/);
  });

  it('refuse an unknown setting', () => {
    expect(() => parseSettings({ BAROGRAPH_PORTS: '1' }, around)).toThrow('BAROGRAPH_PORT?');
  });
});

describe('a .env file', () => {
  it('parses names and values, without quotes and comments', () => {
    const text = [
      '# comment',
      'A=1',
      ' export B = two # why',
      "C='x # y'",
      'D="q" # r',
      'E=',
      'F=a#b',
      'no line',
      'G=#c',
    ];
    expect(parseEnvironmentFile(text.join('\r\n'))).toEqual({
      A: '1',
      B: 'two',
      C: 'x # y',
      D: 'q',
      E: '',
      F: 'a#b',
      G: '',
    });
  });
});
