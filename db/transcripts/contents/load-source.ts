import type { TranscriptSource } from '../../../core/api/transcript-secrets';
import type { TranscriptStore } from '../transcript-store';
import { type ContentsWork, inProcessWork } from './contents-work';
import type { ContentsRow } from './find-contents';
import { collect } from './load-messages';

/** Bytes of one part, and of the context scanned around it. */
const PIECE_BYTES = 64 * 1024;
const AROUND_BYTES = 32 * 1024;

/** Part of the stored bytes as text, secrets masked; works for files that could not be parsed. */
export async function loadSource(
  store: Pick<TranscriptStore, 'read'>,
  row: ContentsRow,
  from: number,
  work: ContentsWork = inProcessWork,
): Promise<TranscriptSource> {
  const start = Math.max(0, from - AROUND_BYTES);
  const bytes = await collect(store.read(row.transcriptId, start, from + PIECE_BYTES + AROUND_BYTES));
  const begin = Math.min(from - start, bytes.length);
  const piece = { bytes, from: begin, to: Math.min(begin + PIECE_BYTES, bytes.length) };
  const { text, to } = await work.run('source', piece);
  const end = start + to;
  return { id: row.publicId, from, to: end, bytes: row.bytes, next: to < bytes.length ? end : null, text };
}
