/**
 * A process for the kill test: hands turns over as fast as it can, and says after every hand-over how far it
 * came, until it is killed. `node … QUEUE_FOLDER URL`
 */
import { writeSync } from 'node:fs';
import { createClient } from './create-client';

const [queueFolder = '', url = ''] = process.argv.slice(2);
const client = createClient({ url, token: null, project: 'p', runner: { name: 'r' }, queueFolder });
const session = client.session('s');

function handOverSome(): void {
  for (let i = 0; i < 100; i += 1) {
    const seq = session.turn({ usage: { input: 1 } });
    writeSync(1, `${seq}\n`);
  }
  setImmediate(handOverSome);
}
handOverSome();
