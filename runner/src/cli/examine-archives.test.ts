import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { noteUpload } from '../archive/archive-index';
import { TEST_SECRET } from '../proof/testing/identity';
import { parseRunnerSettings } from '../settings';
import { UploadBench } from '../upload/testing/uploads';
import { examineArchives } from './doctor-findings';

const LOCAL = JSON.stringify({
  url: 'http://127.0.0.1:4680',
  ingestToken: 'bg_local',
  readToken: 'bg_read',
  secret: TEST_SECRET,
});
const FAR = { BAROGRAPH_URL: 'https://barograph.example', BAROGRAPH_TOKEN: 'bg_far' };
let bench: UploadBench;
beforeEach(() => {
  bench = new UploadBench();
});
afterEach(() => bench.remove());

function examine(environment: Record<string, string>, file: string | null = LOCAL) {
  const around = { isRoot: false, home: '/home/ines', host: 'pier', readConnection: () => file };
  return examineArchives(parseRunnerSettings(environment, {}, around), () => bench.config);
}

describe('examineArchives', () => {
  it('reports where archives are uploaded and what is pending', async () => {
    expect(await examine({})).toEqual({
      state: 'ok',
      topic: 'archives',
      text: '0 archives; uploaded to the server on this machine',
    });
    await bench.hook();
    expect((await examine({})).text).toBe(
      '1 archive, 1 not uploaded yet; uploaded to the server on this machine',
    );
    expect(await examine({ ...FAR, BAROGRAPH_UPLOAD_ARCHIVES: 'on' })).toMatchObject({
      state: 'ok',
      text: expect.stringContaining('uploaded to the server of this address'),
    });
  });

  it('explains why another server gets none, with the remedy', async () => {
    expect(await examine(FAR)).toMatchObject({
      state: 'note',
      text: expect.stringContaining('they stay on this machine: https://barograph.example is not known'),
      remedy: expect.stringContaining('BAROGRAPH_UPLOAD_ARCHIVES=on'),
    });
  });

  it('gives no remedy when content or uploads are switched off', async () => {
    for (const setting of [{ BAROGRAPH_CONTENT: 'off' }, { BAROGRAPH_UPLOAD_ARCHIVES: 'off' }]) {
      const finding = await examine({ ...FAR, ...setting });
      expect(finding.text).toContain('they stay on this machine');
      expect(finding).not.toHaveProperty('remedy');
    }
  });

  it('reports the last failure', async () => {
    const { id } = await bench.hook();
    await noteUpload(bench.config, id, 'pending', { uploadReason: 'The disk is full.' });
    expect(await examine({})).toMatchObject({
      state: 'note',
      text: expect.stringContaining('last failure: The disk is full.'),
    });
  });

  it('reports an unreadable index', async () => {
    const finding = await examineArchives(
      parseRunnerSettings({}, {}, { isRoot: false, home: '/h', host: 'pier', readConnection: () => null }),
      () => {
        throw new Error('no config folder');
      },
    );
    expect(finding).toMatchObject({ state: 'wrong', text: expect.stringContaining('no config folder') });
  });
});
