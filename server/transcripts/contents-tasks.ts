/** The steps of reading one file, in a thread (contents-thread.ts). Results are returned in their stored form. */
import { createContentsReading } from '../../core/transcript/contents-reading';
import { packContents, packSegment } from '../../db/transcripts/contents/pack-contents';

export interface ContentsSource {
  fileName: string;
  /** The summary of the file's last compaction, if it was uploaded separately. */
  summary: string | null;
}

export function createContentsTasks({ fileName, summary }: ContentsSource) {
  const reading = createContentsReading(fileName, summary);
  return {
    scan: (bytes: Uint8Array) => reading.scan(bytes),
    read: async (bytes: Uint8Array) => (await reading.read(bytes)).map(packSegment),
    async finish() {
      const { segments, contents } = await reading.finish();
      return { segments: segments.map(packSegment), contents: packContents(contents) };
    },
  };
}

export type ContentsTasks = ReturnType<typeof createContentsTasks>;
