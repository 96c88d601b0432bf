import { createContentsReading } from '../../core/transcript/contents-reading';
import type { ContentsThread } from './start-contents-thread';

/** The same work without a thread: a thread's start takes longer than most tests. */
export function inProcess(fileName: string): ContentsThread {
  const reading = createContentsReading(fileName);
  return {
    async ask(request) {
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
    },
    close: () => Promise.resolve(),
  };
}
