/** A process for the exit test: sends one turn, leaves its client open, and returns. */
import { createClient } from '../create-client';

const [queueFolder = '', url = ''] = process.argv.slice(2);
const LONG_MS = 86_400_000;
// No timeout of the client itself ends a socket or a timer that keeps this process alive.
const timing = { baseMs: LONG_MS, capMs: LONG_MS, patienceMs: LONG_MS };
const runner = { name: 'r' };
const client = createClient({ url, token: null, project: 'p', runner, queueFolder, timing, now: () => 0 });
client.session('s').turn({ usage: { inputTokens: 1 } });
process.stdout.write('returned\n');
