import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseConnectionFile } from './connection-file';
import { locateConfigFolder, locateDataFolder } from './locate-folders';
import { readChoice, readInteger, readPath, readText, refuseUnknown, SettingError } from './read-settings';
import { SETTINGS } from './setting-list';

const range = { least: 0, most: 65_535 };

describe('settings', () => {
  it('treat an empty or blank value as not set', () => {
    expect(readText({ A: '  ' }, 'A')).toBeNull();
    expect(readInteger({ A: '' }, 'A', 7, range)).toBe(7);
  });

  it.each(['80a', '-1', '65536', '1.5', '1e3', '0x10'])(
    'refuse %s as a port and name the setting',
    (value) => {
      expect(() => readInteger({ BAROGRAPH_PORT: value }, 'BAROGRAPH_PORT', 4680, range)).toThrow(
        `BAROGRAPH_PORT: "${value}" is not a whole number from 0 to 65535.`,
      );
    },
  );

  it('refuse an invalid choice and list the choices', () => {
    expect(() => readChoice({ R: 'both' }, 'R', 'all', ['all', 'ingest', 'web'])).toThrow(
      'R: "both" is not one of all, ingest, web.',
    );
    expect(readChoice({ R: 'WEB' }, 'R', 'all', ['all', 'web'])).toBe('web');
  });

  it('refuse a relative path', () => {
    expect(() => readPath({ D: 'data' }, 'D')).toThrow('D: "data" is not an absolute path.');
    expect(readPath({ D: '/data' }, 'D')).toBe('/data');
  });

  it('refuse an unknown name and suggest the nearest known one', () => {
    expect(() => refuseUnknown({ BAROGRAPH_PROT: '1' })).toThrow(
      'BAROGRAPH_PROT: there is no such setting. Did you mean BAROGRAPH_PORT?',
    );
    expect(() => refuseUnknown({ BAROGRAPH_IDLE_MINUTES: '1' })).toThrow('BAROGRAPH_IDLE_AFTER_MINUTES');
    expect(() => refuseUnknown({ BAROGRAPH_PROT: '' })).toThrow(SettingError);
    expect(() => refuseUnknown({ BAROGRAPH_PORT: '1', OTHER: 'x' })).not.toThrow();
  });
});

describe('.env.example', () => {
  const text = readFileSync(new URL('../../.env.example', import.meta.url), 'utf8');
  const named = [...text.matchAll(/^# ?([A-Z][A-Z0-9_]+)=(.*)$/gm)].map(([, name, value]) => ({
    name,
    value,
  }));

  it('states that runners do not read the file', () => {
    const [head] = text.split('\n\n');
    expect(head?.replaceAll('\n# ', ' ')).toContain('The commands of the runner read only the environment.');
  });

  it('lists exactly the existing settings, in order', () => {
    expect(named.map(({ name }) => name)).toEqual(SETTINGS.map(({ name }) => name));
  });

  it.each(SETTINGS.map((setting) => [setting.name, setting] as const))(
    'states the unit and the default of %s',
    (name, setting) => {
      expect(named.find((entry) => entry.name === name)?.value).toBe(setting.default);
      const block = text.split('\n\n').find((candidate) => candidate.includes(`# ${name}=`));
      expect(block).toContain(`# Unit: ${setting.unit}. Default: ${setting.default || 'not set'}.`);
    },
  );
});

describe('folders', () => {
  const clues = { set: null, isRoot: false, xdg: null, home: '/home/ada' };

  it.each([
    [clues, '/home/ada/.local/share/barograph', '/home/ada/.config/barograph'],
    [{ ...clues, isRoot: true }, '/var/lib/barograph', '/home/ada/.config/barograph'],
    [{ ...clues, xdg: '/xdg/' }, '/xdg/barograph', '/xdg/barograph'],
    [{ ...clues, xdg: 'relative' }, '/home/ada/.local/share/barograph', '/home/ada/.config/barograph'],
    [{ ...clues, isRoot: true, set: '/srv/own/', xdg: '/xdg' }, '/srv/own', '/srv/own'],
    [{ ...clues, isRoot: true, xdg: '/xdg' }, '/var/lib/barograph', '/xdg/barograph'],
    [{ ...clues, home: '/', set: '/' }, '/', '/'],
    [{ ...clues, home: '/' }, '/.local/share/barograph', '/.config/barograph'],
  ])('with %j are %s for data and %s for configuration', (given, data, config) => {
    expect(locateDataFolder(given)).toBe(data);
    expect(locateConfigFolder(given)).toBe(config);
  });
});

describe('connection.json', () => {
  const file = { url: 'http://127.0.0.1:4680', ingestToken: 'a', readToken: 'b', secret: '0f'.repeat(32) };

  it('is parsed without unknown fields', () => {
    expect(parseConnectionFile({ ...file, more: 1 })).toEqual(file);
  });

  it.each([
    null,
    undefined,
    'text',
    [],
    {},
    { ...file, url: 'pier' },
    { ...file, readToken: 1 },
    { ...file, secret: undefined },
    { ...file, secret: 'short' },
  ])('is refused with %j', (value) => {
    expect(() => parseConnectionFile(value)).toThrow('This is not a connection.json.');
  });
});
