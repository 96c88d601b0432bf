/**
 * The thread in which transcripts are read: whatever a file does to the patterns and parsers that look at it, it does
 * here, and this thread can be ended. One file a thread; the bytes come from outside, and what was read goes back.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { createContentsReading } from '../../core/transcript/contents-reading';
import type { ThreadAnswer, ThreadRequest } from './thread-messages';

const port = parentPort;
if (port === null) throw new Error('this file runs as a worker thread');
const { fileName } = workerData as { fileName: string };
const reading = createContentsReading(fileName);

async function answer(request: ThreadRequest): Promise<ThreadAnswer> {
  switch (request.type) {
    case 'scan':
      await reading.scan(request.bytes);
      return { type: 'done', segments: [] };
    case 'end_scan':
      await reading.endScan();
      return { type: 'done', segments: [] };
    case 'read':
      return { type: 'done', segments: reading.read(request.bytes) };
    case 'finish':
      return { type: 'finished', ...reading.finish() };
  }
}

port.on('message', (request: ThreadRequest) => {
  answer(request).then(
    (result) => port.postMessage(result),
    (error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      port.postMessage({ type: 'failed', reason } satisfies ThreadAnswer);
    },
  );
});
