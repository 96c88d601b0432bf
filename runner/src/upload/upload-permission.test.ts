import { describe, expect, it } from 'vitest';
import { TEST_SECRET } from '../proof/testing/identity';
import type { Flags } from '../settings';
import { CONNECTION, settingsOf } from '../testing/settings';
import { uploadPermission } from './upload-permission';

const LOCAL = 'http://127.0.0.1:4680';

function ask(
  environment: Record<string, string>,
  { flags = {}, file = CONNECTION }: { flags?: Flags; file?: string | null } = {},
) {
  return uploadPermission(settingsOf(environment, { flags, connection: file }));
}

const ELSEWHERE = { BAROGRAPH_URL: 'https://barograph.example', BAROGRAPH_TOKEN: 'bg_far' };

describe('archives are uploaded', () => {
  it('to the server of this machine by default', () => {
    const server = { url: LOCAL, token: 'bg_local', secret: TEST_SECRET };
    expect(ask({})).toEqual({ allowed: true, server });
    expect(ask({ BAROGRAPH_URL: 'http://localhost:4680' })).toMatchObject({ allowed: true });
  });

  it('to another server only by variable or flag', () => {
    expect(ask(ELSEWHERE)).toEqual({
      allowed: false,
      reason:
        'https://barograph.example is not known to be on this machine, and BAROGRAPH_UPLOAD_ARCHIVES is not on',
    });
    const far = { allowed: true, server: { url: ELSEWHERE.BAROGRAPH_URL, token: 'bg_far' } };
    expect(ask({ ...ELSEWHERE, BAROGRAPH_UPLOAD_ARCHIVES: 'on' })).toEqual(far);
    expect(ask(ELSEWHERE, { flags: { 'upload-archives': 'on' } })).toEqual(far);
    const both = { flags: { 'upload-archives': 'local' } };
    expect(ask({ ...ELSEWHERE, BAROGRAPH_UPLOAD_ARCHIVES: 'on' }, both)).toMatchObject({ allowed: false });
  });

  it('to no loopback address without a connection file, because the address may be a tunnel', () => {
    const tunnel = { BAROGRAPH_URL: 'http://127.0.0.1:9000', BAROGRAPH_TOKEN: 'bg_far' };
    expect(ask(tunnel)).toMatchObject({ allowed: false });
    expect(ask({ ...tunnel, BAROGRAPH_URL: LOCAL }, { file: null })).toMatchObject({ allowed: false });
  });

  it("to this machine's server only after its proof", () => {
    const taken = { BAROGRAPH_URL: LOCAL, BAROGRAPH_TOKEN: 'bg_far' };
    const proven = { allowed: true, server: { token: 'bg_local', secret: TEST_SECRET } };
    expect(ask(taken)).toMatchObject(proven);
    expect(ask({ BAROGRAPH_UPLOAD_ARCHIVES: 'on' })).toMatchObject(proven);
  });

  it('to a given address and token when switched on', () => {
    const meant = { BAROGRAPH_URL: LOCAL, BAROGRAPH_TOKEN: 'bg_far', BAROGRAPH_UPLOAD_ARCHIVES: 'on' };
    expect(ask(meant)).toEqual({ allowed: true, server: { url: LOCAL, token: 'bg_far' } });
  });

  it('to no server when content or uploads are off', () => {
    const on = { BAROGRAPH_UPLOAD_ARCHIVES: 'on' };
    expect(ask({ ...on, BAROGRAPH_CONTENT: 'off' })).toEqual({ allowed: false, reason: 'content is off' });
    expect(ask(on, { flags: { 'no-content': true } })).toMatchObject({ allowed: false });
    expect(ask({ BAROGRAPH_UPLOAD_ARCHIVES: 'off' })).toMatchObject({ allowed: false });
    expect(ask({}, { file: null })).toEqual({ allowed: false, reason: 'no server is known' });
  });
});
