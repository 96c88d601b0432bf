/** The steps of reading one file. They run in a thread (contents-thread.ts); results are packed as they are stored. */
import { createContentsReading } from '../../core/transcript/contents-reading';
import {
  type PackedContents,
  type PackedSegment,
  packContents,
  packSegment,
} from '../../db/transcripts/contents/pack-contents';

export interface ContentsTasks {
  scan(bytes: Uint8Array): Promise<void>;
  endScan(): Promise<void>;
  /** The summary written behind the file's last compaction. */
  follow(summary: string): Promise<void>;
  read(bytes: Uint8Array): Promise<PackedSegment[]>;
  finish(): Promise<{ segments: PackedSegment[]; contents: PackedContents }>;
}

export function createContentsTasks(fileName: string): ContentsTasks {
  const reading = createContentsReading(fileName);
  return {
    async scan(bytes) {
      await reading.scan(bytes);
    },
    async endScan() {
      await reading.endScan();
    },
    async follow(summary) {
      await reading.follow(summary);
    },
    read: async (bytes) => reading.read(bytes).map(packSegment),
    async finish() {
      const { segments, contents } = reading.finish();
      return { segments: segments.map(packSegment), contents: packContents(contents) };
    },
  };
}
