import { describe, expect, it } from 'vitest';
import { parseRunnerSettings, type RunnerFlags } from './settings';

const FILE = JSON.stringify({ url: 'http://127.0.0.1:4680', ingestToken: 'bg_ingest', readToken: 'bg_read' });

function parse(
  environment: Record<string, string>,
  flags: RunnerFlags = {},
  connection: string | null = FILE,
) {
  const around = { isRoot: false, home: '/home/ines', host: 'pier', readConnection: () => connection };
  return parseRunnerSettings(environment, flags, around);
}

describe('the runner’s settings', () => {
  it('find server and tokens in the data folder', () => {
    const settings = parse({});
    expect(settings).toMatchObject({
      url: 'http://127.0.0.1:4680',
      token: 'bg_ingest',
      readToken: 'bg_read',
    });
    expect(settings.origin.url).toBe('/home/ines/.local/share/barograph/connection.json');
  });

  it('prefer flags to the environment, and both to the file', () => {
    const environment = { BAROGRAPH_URL: 'http://127.0.0.1:1', BAROGRAPH_TOKEN: 'bg_env' };
    expect(parse(environment)).toMatchObject({ url: 'http://127.0.0.1:1', token: 'bg_env' });
    const flags = { url: 'http://127.0.0.1:2', token: 'bg_flag' };
    expect(parse(environment, flags)).toMatchObject({ url: 'http://127.0.0.1:2', token: 'bg_flag' });
  });

  it('never give the token of the file to another server', () => {
    expect(parse({ BAROGRAPH_URL: 'https://elsewhere.example' })).toMatchObject({
      token: null,
      readToken: null,
    });
    expect(parse({ BAROGRAPH_URL: 'http://localhost:4680' })).toMatchObject({ token: 'bg_ingest' });
  });

  it('know no server where nothing names one', () => {
    expect(parse({}, {}, null)).toMatchObject({ url: null, token: null });
  });

  it('refuse an address that is none, a damaged file, and a setting that is none', () => {
    expect(() => parse({ BAROGRAPH_URL: 'pier:4680' })).toThrow('is no address of a server');
    expect(() => parse({}, {}, '{')).toThrow('the file is damaged');
    expect(() => parse({ BAROGRAPH_CONTNET: 'off' })).toThrow('Did you mean BAROGRAPH_CONTENT?');
  });

  it('switch content off by variable or flag', () => {
    expect(parse({}).content).toBe(true);
    expect(parse({ BAROGRAPH_CONTENT: 'off' }).content).toBe(false);
    expect(parse({}, { noContent: true }).content).toBe(false);
  });

  it('find Claude Code’s transcripts where it keeps them', () => {
    expect(parse({}).claudeProjects).toBe('/home/ines/.claude/projects');
    expect(parse({ CLAUDE_CONFIG_DIR: '/srv/claude' }).claudeProjects).toBe('/srv/claude/projects');
  });
});
