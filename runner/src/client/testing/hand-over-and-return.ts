/** A process for the exit test: sends one turn, leaves its client open, and returns. */
import { createClient } from '../create-client';

const [queueFolder = '', url = ''] = process.argv.slice(2);
const client = createClient({ url, token: null, project: 'p', runner: { name: 'r' }, queueFolder });
client.session('s').turn({ usage: { input: 1 } });
process.stdout.write('returned\n');
