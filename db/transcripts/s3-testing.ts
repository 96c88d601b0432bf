/** For tests: a local S3 server, and the settings of a store in it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';
import type { ArchiveStoreSettings } from './object-store';

/** Set these before the first request. The local server knows only this key. */
export const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };

export async function startS3(): Promise<{
  settings: ArchiveStoreSettings;
  stop(): Promise<void>;
  /** Start again at the same port, with the same objects. */
  start(): Promise<void>;
  close(): Promise<void>;
}> {
  const directory = await mkdtemp(join(tmpdir(), 'barograph-s3-'));
  let port = 0;
  let server: S3rver;
  async function start(): Promise<void> {
    const configureBuckets = ['archives', 'empty'].map((name) => ({ name, configs: [] }));
    server = new S3rver({ port, address: '127.0.0.1', silent: true, directory, configureBuckets });
    ({ port } = await server.run());
  }
  await start();
  const stop = (): Promise<void> => server.close();
  return {
    settings: {
      address: 's3://archives/of/servers',
      endpoint: `http://127.0.0.1:${port}`,
      region: 'us-east-1',
      pathStyle: true,
    },
    start,
    stop,
    async close() {
      await stop();
      await rm(directory, { recursive: true });
    },
  };
}
