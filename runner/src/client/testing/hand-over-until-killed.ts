/**
 * A process for the kill test: sends turns as fast as possible and prints each seq, until the test kills the process.
 * `node … QUEUE_FOLDER URL [TOKEN SESSION]`
 */
import { writeSync } from 'node:fs';
import { createClient } from '../create-client';

const [queueFolder = '', url = '', token = null, key = 's'] = process.argv.slice(2);
const client = createClient({ url, token, project: 'p', runner: { name: 'r' }, queueFolder });
const session = client.session(key);

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

let count = 0;
function handOverSome(): void {
  for (let i = 0; i < 100; i += 1) {
    count += 1;
    const seq = session.turn({ usage: { inputTokens: count } });
    say(`${seq}\n`);
  }
  setImmediate(handOverSome);
}
handOverSome();
