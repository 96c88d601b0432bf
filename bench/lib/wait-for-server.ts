import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ConnectionFile, connectionFile } from '../../core/settings/connection-file';

const START_TIMEOUT_MS = 60_000;

/** Address and tokens of a server, once it answers. Throws if it ends first, or after a minute. */
export async function waitForServer(server: ChildProcess, dataFolder: string): Promise<ConnectionFile> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    const path = join(dataFolder, 'connection.json');
    if (existsSync(path)) {
      const connection = connectionFile.parse(JSON.parse(readFileSync(path, 'utf8')));
      const answer = await fetch(`${connection.url}/healthz`).catch(() => null);
      if (answer?.ok) return connection;
    }
    if (server.exitCode !== null) throw new Error('the server ended early');
    if (Date.now() > deadline) throw new Error('the server did not start');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
