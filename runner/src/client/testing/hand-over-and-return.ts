/** A process for the exit test: sends one turn, leaves its client open, and prints how long the exit took. */
import { createClient } from '../create-client';

const [queueFolder = '', url = ''] = process.argv.slice(2);
const client = createClient({ url, token: null, project: 'p', runner: { name: 'r' }, queueFolder });
client.session('s').turn({ usage: { input: 1 } });
const done = performance.now();
process.on('exit', () => process.stdout.write(`${Math.round(performance.now() - done)}\n`));
