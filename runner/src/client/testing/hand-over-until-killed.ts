/**
 * A process for the kill test: hands turns over as fast as it can, and says after every hand-over how far it
 * came, until it is killed. `node … QUEUE_FOLDER URL`
 */
import { writeSync } from 'node:fs';
import { createClient } from '../create-client';

const [queueFolder = '', url = ''] = process.argv.slice(2);
const client = createClient({ url, token: null, project: 'p', runner: { name: 'r' }, queueFolder });
const session = client.session('s');

/** A full pipe refuses at once on newer versions of Node, in place of waiting until the reader caught up. */
function say(line: string): void {
  for (;;) {
    try {
      writeSync(1, line);
      return;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
    }
  }
}

function handOverSome(): void {
  for (let i = 0; i < 100; i += 1) {
    const seq = session.turn({ usage: { input: 1 } });
    say(`${seq}\n`);
  }
  setImmediate(handOverSome);
}
handOverSome();
