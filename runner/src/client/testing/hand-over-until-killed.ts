/**
 * A process for the kill test: sends turns as fast as possible and prints each seq, until the test kills the process.
 * `node … QUEUE_FOLDER URL`
 */
import { writeSync } from 'node:fs';
import { createClient } from '../create-client';

const [queueFolder = '', url = ''] = process.argv.slice(2);
const client = createClient({ url, token: null, project: 'p', runner: { name: 'r' }, queueFolder });
const session = client.session('s');

/** On newer versions of Node, writing to a full pipe fails at once instead of waiting for the reader. */
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
