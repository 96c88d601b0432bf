/** Shared by the examples: a client for the server of this machine, its end, and a bar of 30 characters. */
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createClient, findServer } from 'barograph';

const server = findServer();

/**
 * A client for the server that BAROGRAPH_URL and BAROGRAPH_TOKEN name, else for the one on this machine.
 * @param {string} runner name of the runner
 */
export function connect(runner) {
  if (server === null) return null;
  return createClient({
    ...server,
    project: 'examples',
    runner: { name: runner },
    // Separate from the queue of real work.
    queueFolder: path.join(tmpdir(), 'barograph-example'),
    onRefused: ({ reason, field }) => console.error(`refused: ${field} ${reason}`),
  });
}

/** @param {import('barograph').BarographClient | null} client */
export async function finish(client) {
  if (client === null) {
    console.log('Nothing was reported: no server is known. BAROGRAPH_URL and BAROGRAPH_TOKEN name one.');
    return;
  }
  const { delivered, queued, refused } = await client.close();
  console.log(
    delivered ? 'Everything was stored.' : `${queued} items wait on disk for ${server?.url ?? 'the server'}.`,
  );
  process.exitCode = delivered && refused.length === 0 ? 0 : 1;
}

/** @param {number} share of 1 */
export function bar(share) {
  return '█'.repeat(Math.min(30, Math.round(share * 30))).padEnd(30, '░');
}
