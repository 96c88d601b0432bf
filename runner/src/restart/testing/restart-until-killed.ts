/**
 * A process for the kill test. The agent fills its context and never answers the checkpoint query. The process prints
 * `asked` and runs until the test kills it. `node … QUEUE_FOLDER URL`
 */
import { writeSync } from 'node:fs';
import { createClient } from '../../client/create-client';
import { runWithRestarts } from '../index';
import { scriptedAgent, turnOf } from './scripted-agent';

const [queueFolder = '', url = ''] = process.argv.slice(2);
const client = createClient({ url, token: null, project: 'p', runner: { name: 'r' }, queueFolder });
const agent = scriptedAgent({
  contexts: [[turnOf(100_000, 20_000), turnOf(50_000, 20_000)]],
  answers: [
    () =>
      new Promise<string>(() => {
        writeSync(1, 'asked\n');
        setInterval(() => undefined, 60_000);
      }),
  ],
});
await runWithRestarts({
  agent,
  prompt: 'p',
  session: client.session('s'),
  limit: 200_000,
  checkpointTimeoutMs: 3_600_000,
});
