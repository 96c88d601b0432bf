/**
 * The thread in which transcripts are read: whatever a file does to the patterns and parsers that look at it, it does
 * here, and this thread can be ended. One file a thread; the bytes come from outside, and what was read goes back.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { createAnswerer } from './answer-request';
import type { ThreadAnswer, ThreadRequest } from './thread-messages';

const port = parentPort;
if (port === null) throw new Error('this file runs as a worker thread');
const answer = createAnswerer((workerData as { fileName: string }).fileName);

port.on('message', (request: ThreadRequest) => {
  answer(request).then(
    (result) => port.postMessage(result),
    (error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      port.postMessage({ type: 'failed', reason } satisfies ThreadAnswer);
    },
  );
});
