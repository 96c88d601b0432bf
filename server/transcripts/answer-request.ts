import { createContentsReading } from '../../core/transcript/contents-reading';
import { packContents, packSegment } from '../../db/transcripts/contents/pack-contents';
import type { ThreadAnswer, ThreadRequest } from './thread-messages';

/** What reading a file answers, step by step; everything leaves it packed as it is stored. */
export function createAnswerer(
  fileName: string,
): (request: ThreadRequest) => Promise<Exclude<ThreadAnswer, { type: 'failed' }>> {
  const reading = createContentsReading(fileName);
  return async (request) => {
    switch (request.type) {
      case 'scan':
        await reading.scan(request.bytes);
        return { type: 'done', segments: [] };
      case 'end_scan':
        await reading.endScan();
        return { type: 'done', segments: [] };
      case 'follow':
        await reading.follow(request.summary);
        return { type: 'done', segments: [] };
      case 'read':
        return { type: 'done', segments: reading.read(request.bytes).map(packSegment) };
      case 'finish': {
        const { segments, contents } = reading.finish();
        return { type: 'finished', segments: segments.map(packSegment), contents: packContents(contents) };
      }
    }
  };
}
