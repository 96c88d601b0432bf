import { describe, expect, it } from 'vitest';
import { TEST_SECRET } from '../proof/testing-identity';
import { parseRunnerSettings, type RunnerFlags } from '../settings';
import { uploadPermission } from './upload-permission';

const LOCAL = 'http://127.0.0.1:4680';
const FILE = JSON.stringify({
  url: LOCAL,
  ingestToken: 'bg_local',
  readToken: 'bg_read',
  secret: TEST_SECRET,
});

function ask(
  environment: Record<string, string>,
  { flags = {}, file = FILE }: { flags?: RunnerFlags; file?: string | null } = {},
) {
  const around = { isRoot: false, home: '/home/ines', host: 'pier', readConnection: () => file };
  return uploadPermission(parseRunnerSettings(environment, flags, around));
}

const ELSEWHERE = { BAROGRAPH_URL: 'https://barograph.example', BAROGRAPH_TOKEN: 'bg_far' };

describe('archives are handed over', () => {
  it('to the server of this machine without being asked', () => {
    const server = { url: LOCAL, token: 'bg_local', secret: TEST_SECRET };
    expect(ask({})).toEqual({ allowed: true, isLocal: true, server });
    expect(ask({ BAROGRAPH_URL: 'http://localhost:4680' })).toMatchObject({ allowed: true, isLocal: true });
  });

  it('to no other server, unless its owner says so by variable or flag', () => {
    expect(ask(ELSEWHERE)).toEqual({
      allowed: false,
      reason:
        'https://barograph.example is not known to be on this machine, and BAROGRAPH_UPLOAD_ARCHIVES is not on',
    });
    const far = {
      allowed: true,
      isLocal: false,
      server: { url: ELSEWHERE.BAROGRAPH_URL, token: 'bg_far' },
    };
    expect(ask({ ...ELSEWHERE, BAROGRAPH_UPLOAD_ARCHIVES: 'on' })).toEqual(far);
    expect(ask(ELSEWHERE, { flags: { uploadArchives: 'on' } })).toEqual(far);
    const both = { flags: { uploadArchives: 'local' } };
    expect(ask({ ...ELSEWHERE, BAROGRAPH_UPLOAD_ARCHIVES: 'on' }, both)).toMatchObject({ allowed: false });
  });

  it('to no address of this machine that no server of this machine wrote down: a tunnel may end there', () => {
    const tunnel = { BAROGRAPH_URL: 'http://127.0.0.1:9000', BAROGRAPH_TOKEN: 'bg_far' };
    expect(ask(tunnel)).toMatchObject({ allowed: false });
    expect(ask({ ...tunnel, BAROGRAPH_URL: LOCAL }, { file: null })).toMatchObject({ allowed: false });
  });

  it('to the address of this machine’s server once it proves the secret, which whoever took its port does not know', () => {
    const taken = { BAROGRAPH_URL: LOCAL, BAROGRAPH_TOKEN: 'bg_far' };
    const proven = { allowed: true, isLocal: true, server: { token: 'bg_local', secret: TEST_SECRET } };
    expect(ask(taken)).toMatchObject(proven);
    expect(ask({ BAROGRAPH_UPLOAD_ARCHIVES: 'on' })).toMatchObject(proven);
  });

  it('to whoever answers there where its owner names address and token and says on', () => {
    const meant = { BAROGRAPH_URL: LOCAL, BAROGRAPH_TOKEN: 'bg_far', BAROGRAPH_UPLOAD_ARCHIVES: 'on' };
    expect(ask(meant)).toEqual({ allowed: true, isLocal: false, server: { url: LOCAL, token: 'bg_far' } });
  });

  it('to nobody when content is off, or uploads are', () => {
    const on = { BAROGRAPH_UPLOAD_ARCHIVES: 'on' };
    expect(ask({ ...on, BAROGRAPH_CONTENT: 'off' })).toEqual({ allowed: false, reason: 'content is off' });
    expect(ask(on, { flags: { noContent: true } })).toMatchObject({ allowed: false });
    expect(ask({ BAROGRAPH_UPLOAD_ARCHIVES: 'off' })).toMatchObject({ allowed: false });
    expect(ask({}, { file: null })).toEqual({ allowed: false, reason: 'no server is known' });
  });

  it('as a setting says, and one that is none is refused by name', () => {
    expect(() => ask({ BAROGRAPH_UPLOAD_ARCHIVES: 'yes' })).toThrow(
      'BAROGRAPH_UPLOAD_ARCHIVES: "yes" is none of local, on, off.',
    );
    expect(() => ask({}, { flags: { uploadArchives: 'all' } })).toThrow('--upload-archives: "all"');
  });
});
