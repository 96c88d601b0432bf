/** A process for the exit test: hands one turn over, forgets its client, and says at its end how long it stayed. */
import { createClient } from '../create-client';

const [queueFolder = '', url = ''] = process.argv.slice(2);
const client = createClient({ url, token: null, project: 'p', runner: { name: 'r' }, queueFolder });
client.session('s').turn({ usage: { input: 1 } });
const done = performance.now();
process.on('exit', () => process.stdout.write(`${Math.round(performance.now() - done)}\n`));
