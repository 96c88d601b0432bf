/** Shared by the examples: starts and ends a session, and draws a bar of 30 characters. */
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createClient, findServer } from 'barograph';

const server = findServer();
/** @type {import('barograph').BarographClient | null} */
let client = null;
/** @type {import('barograph').RunnerSession | undefined} */
let session;

/**
 * Starts a session on the server at BAROGRAPH_URL, or else on the server of this machine.
 * @param {string} runner name of the runner
 * @param {string} key
 * @param {NonNullable<Parameters<import('barograph').BarographClient['session']>[1]>} fields
 */
export function startSession(runner, key, fields) {
  if (server === null) return undefined;
  client = createClient({
    ...server,
    project: 'examples',
    runner: { name: runner },
    // Separate from the queue of real work.
    queueFolder: path.join(tmpdir(), 'barograph-example'),
    onRefused: ({ reason, field }) => console.error(`refused: ${field} ${reason}`),
  });
  session = client.session(key, fields);
  return session;
}

export async function finish(reason = 'done') {
  if (client === null) {
    console.log('Nothing was reported: no server is known. Set BAROGRAPH_URL and BAROGRAPH_TOKEN.');
    return;
  }
  session?.end({ reason });
  const { delivered, queued, refused } = await client.close();
  console.log(
    delivered ? 'Everything was stored.' : `${queued} items are queued on disk for ${server?.url}.`,
  );
  process.exitCode = delivered && refused.length === 0 ? 0 : 1;
}

/** @param {number} share of 1 */
export function bar(share) {
  const percent = (share * 100).toFixed(1).padStart(5);
  return `${'█'.repeat(Math.min(30, Math.round(share * 30))).padEnd(30, '░')} ${percent} %`;
}
