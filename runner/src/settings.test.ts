import { describe, expect, it } from 'vitest';
import { CLIENTS } from '../../core/agents/clients';
import { FORMATS } from '../../core/agents/registry';
import { TEST_SECRET } from './proof/testing/identity';
import { type Flags, readHookSettings, readRunnerSettings } from './settings';
import { CONNECTION, settingsOf } from './testing/settings';

const parse = (
  environment: Record<string, string>,
  flags: Flags = {},
  connection: string | null = CONNECTION,
) => settingsOf(environment, { flags, connection });

describe('the runner’s settings', () => {
  it('find server and token in the data folder', () => {
    expect(parse({})).toMatchObject({
      url: 'http://127.0.0.1:4680',
      token: 'bg_local',
      origin: { url: '/home/ines/.local/share/barograph/connection.json' },
    });
    expect(parse({}, {}, null)).toMatchObject({ url: null, token: null });
  });

  it("use the file's token for its server only, with a proof", () => {
    const local = { token: 'bg_local', secret: TEST_SECRET };
    expect(parse({})).toMatchObject(local);
    expect(parse({ BAROGRAPH_URL: 'http://localhost:4680' })).toMatchObject(local);
    expect(parse({ BAROGRAPH_TOKEN: 'bg_given' })).toMatchObject({ token: 'bg_given', secret: null });
    const elsewhere = parse({ BAROGRAPH_URL: 'https://elsewhere.example' });
    expect(elsewhere).toMatchObject({ token: null, secret: null });
  });

  it('use the last connection file of a stopped server', () => {
    const machine = { environment: {}, isRoot: false, home: () => '/home/ines', host: 'pier' };
    const readConnection = (path: string) => (path.endsWith('/last-connection.json') ? CONNECTION : null);
    expect(readRunnerSettings({}, { ...machine, readConnection })).toMatchObject({
      url: 'http://127.0.0.1:4680',
      token: 'bg_local',
      secret: TEST_SECRET,
      origin: { url: '/home/ines/.local/share/barograph/last-connection.json' },
    });
  });

  it('prefer flags to the environment, and both to the file', () => {
    const environment = { BAROGRAPH_URL: 'http://127.0.0.1:1', BAROGRAPH_TOKEN: 'bg_env' };
    expect(parse(environment)).toMatchObject({ url: 'http://127.0.0.1:1', token: 'bg_env' });
    const flags = { url: 'http://127.0.0.1:2', token: 'bg_flag', 'queue-dir': 'here' };
    expect(parse(environment, flags)).toMatchObject({
      url: 'http://127.0.0.1:2',
      token: 'bg_flag',
      queueFolder: 'here',
      origin: { url: '--url', token: '--token' },
    });
  });

  it('read the token from the file in BAROGRAPH_TOKEN_FILE, except with --token', () => {
    const readConnection = (path: string) => (path === '/run/token' ? ' bg_file\n' : CONNECTION);
    const machine = { isRoot: false, home: () => '/home/ines', host: 'pier', readConnection };
    const readWith = (file: string, flags: Flags = {}) => {
      const environment = { BAROGRAPH_TOKEN_FILE: file, BAROGRAPH_TOKEN: 'bg_env' };
      return readRunnerSettings(flags, { ...machine, environment });
    };
    const found = { token: 'bg_file', secret: null, origin: { token: '/run/token' } };
    expect(readWith('/run/token')).toMatchObject(found);
    expect(readWith('/run/token', { token: 'bg_flag' }).token).toBe('bg_flag');
    const empty = { ...machine, readConnection: () => null, environment: { BAROGRAPH_TOKEN_FILE: '/none' } };
    expect(() => readRunnerSettings({}, empty)).toThrow('BAROGRAPH_TOKEN_FILE: "/none" contains no token.');
  });

  it('reject an invalid address, a damaged file, a file without a secret, and an unknown setting', () => {
    const older = JSON.stringify({ url: 'http://127.0.0.1:4680', ingestToken: 'a', readToken: 'b' });
    expect(() => parse({ BAROGRAPH_URL: 'pier:4680' })).toThrow('is not an address of a server');
    expect(() => parse({}, {}, '{')).toThrow('the file is damaged');
    expect(() => parse({}, {}, older)).toThrow('from an older server. Restart the server');
    expect(() => parse({ BAROGRAPH_CONTNET: 'off' })).toThrow('Did you mean BAROGRAPH_CONTENT?');
  });

  it('switch content off by variable or flag', () => {
    expect(parse({}).content).toBe(true);
    expect(parse({ BAROGRAPH_CONTENT: 'off' }).content).toBe(false);
    expect(parse({}, { 'no-content': true }).content).toBe(false);
  });

  it('find the transcripts of Claude Code and Codex', () => {
    const place = { client: 'Claude Code', variable: 'CLAUDE_CONFIG_DIR', isMain: true };
    const [there, moved] = ['/home/ines/.claude/projects', '/srv/claude/projects'];
    expect(parse({}).transcripts).toContainEqual({ ...place, folder: there });
    const { transcripts } = parse({ CLAUDE_CONFIG_DIR: '/srv/claude' });
    expect(transcripts).toContainEqual({ ...place, folder: moved });
    const folders = parse({ CODEX_HOME: '/srv/codex' }).transcripts.filter(
      ({ client }) => client === 'Codex',
    );
    expect(folders.map(({ folder, isMain }) => [folder, isMain])).toEqual([
      ['/srv/codex/sessions', true],
      ['/srv/codex/archived_sessions', false],
    ]);
  });
});

it('states default folders only for transcripts that can be imported', () => {
  const stated = CLIENTS.flatMap(({ name, transcripts }) => (transcripts ? [name] : []));
  const imported = FORMATS.map(({ name }) => name);
  expect(imported).toEqual(expect.arrayContaining(stated));
});

describe('the settings of a hook', () => {
  const noHome = () => {
    throw new Error('ENOENT: no home');
  };

  function parseForHook(environment: Record<string, string>, flags: Flags = {}, home = () => '/home/ines') {
    const machine = { isRoot: false, host: 'pier', home, readConnection: () => CONNECTION };
    return readHookSettings(flags, { ...machine, environment });
  }

  it('find the config folder by flag, BAROGRAPH_CONFIG_DIR, XDG_CONFIG_HOME, home', () => {
    const environment = { BAROGRAPH_CONFIG_DIR: '/srv/a/', XDG_CONFIG_HOME: '/srv/x' };
    expect(parseForHook(environment, { 'config-dir': '/srv/f' }).configFolder).toBe('/srv/f');
    expect(parseForHook(environment).configFolder).toBe('/srv/a');
    expect(parseForHook({ XDG_CONFIG_HOME: '/srv/x' }).configFolder).toBe('/srv/x/barograph');
    expect(parseForHook({ XDG_CONFIG_HOME: 'x' }).configFolder).toBe('/home/ines/.config/barograph');
  });

  it('warn about unknown names and use the others', () => {
    const settings = parseForHook({ BAROGRAPH_CONTNET: 'off', BAROGRAPH_PROJECT: 'harbour' });
    expect(settings.warnings).toEqual([
      'BAROGRAPH_CONTNET: there is no such setting. Did you mean BAROGRAPH_CONTENT? It is ignored.',
    ]);
    expect(settings.runner).toMatchObject({ project: 'harbour', token: 'bg_local' });
  });

  it('keep the archive without a report when the address is invalid', () => {
    const settings = parseForHook({ BAROGRAPH_URL: 'pier' });
    expect(settings).toMatchObject({ configFolder: '/home/ines/.config/barograph', runner: null });
    expect(settings.warnings).toEqual([expect.stringContaining('BAROGRAPH_URL: "pier" is not an address')]);
  });

  it('warn about a relative folder and use the default', () => {
    const settings = parseForHook({ BAROGRAPH_CONFIG_DIR: 'here' }, { 'config-dir': 'there' });
    expect(settings.configFolder).toBe('/home/ines/.config/barograph');
    expect(settings.warnings).toEqual([
      '--config-dir: "there" is not an absolute path.',
      'BAROGRAPH_CONFIG_DIR: "here" is not an absolute path.',
    ]);
  });

  it('need no home if a folder is given', () => {
    const given = parseForHook({ BAROGRAPH_CONFIG_DIR: '/srv/a' }, {}, noHome);
    expect(given).toMatchObject({ configFolder: '/srv/a', runner: null });
    expect(parseForHook({ BAROGRAPH_DATA_DIR: '/srv/d' }, {}, noHome)).toMatchObject({
      configFolder: null,
      runner: { queueFolder: '/srv/d/queue', token: 'bg_local' },
    });
    expect(parseForHook({}, {}, noHome)).toMatchObject({ configFolder: null, runner: null });
  });

  it("use the client's project folder", () => {
    expect(parseForHook({ CLAUDE_PROJECT_DIR: '/home/dev/harbour' }).projectFolder).toBe('/home/dev/harbour');
    expect(parseForHook({}).projectFolder).toBeNull();
  });
});
