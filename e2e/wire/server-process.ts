/** A database, a token and server processes for the tests of a file. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { createTestDatabase, type TestDatabase } from '@/db/testing/test-database';
import { makeToken, type ServerProcess, startServerProcess } from './start-server-process';

export interface Place {
  database: TestDatabase;
  token: string;
  folder: string;
  /** Starts a server process, which is killed after the test. */
  serve(port?: number): Promise<ServerProcess>;
}

/** A database and a token for the tests of a file, and an empty folder for each test. */
export function preparePlace(): Place {
  const servers: ServerProcess[] = [];
  const place = {
    async serve(port) {
      const server = await startServerProcess(place.database.url, port);
      servers.push(server);
      return server;
    },
  } as Place;
  beforeAll(async () => {
    place.database = await createTestDatabase();
    place.token = await makeToken(place.database.sql);
  });
  afterAll(() => place.database?.close());
  beforeEach(() => {
    place.folder = mkdtempSync(join(tmpdir(), 'barograph-wire-'));
  });
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.kill()));
    rmSync(place.folder, { recursive: true, force: true });
  });
  return place;
}
