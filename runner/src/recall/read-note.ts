/** Makes the recall note of a transcript's last compaction. Only the compacted context is read and masked. */
import { marksOf, readSigns } from '../../../core/agents/registry';
import { estimateTokens } from '../../../core/tokens/estimate-tokens';
import { createContentsReading } from '../../../core/transcript/contents-reading';
import { makeRecallNote } from '../../../core/transcript/recall-note';
import { openTranscript, readRange } from '../archive/transcript-file';

/** Part of the file's end that is read. A context is a few megabytes long, more with images. */
const MAX_BYTES = 64 * 1024 * 1024;
const LINE_FEED = 0x0a;
const ANSWER = /"(?:type|role)":\s?"assistant"/;

/**
 * @param summary of the compaction, if the file does not contain it yet. Null: unknown
 * @returns null if nothing was lost. @throws what the file system throws
 */
export async function readRecallNote(path: string, summary: string | null = null) {
  const bytes = await readEnd(path);
  const { from, isWritten } = findStretch(bytes);
  const stretch = bytes.subarray(from);
  const reading = createContentsReading(path, summary, !isWritten);
  await reading.scan(stretch);
  await reading.read(stretch);
  const { losses } = (await reading.finish()).contents;
  const loss = losses.at(-1);
  return loss === undefined
    ? null
    : makeRecallNote(loss, { estimate: estimateTokens, lookUp: lookUpIn(path) });
}

const lookUpIn = (path: string) =>
  `Look up the rest in ${path} (one JSON value per line), or with search_history and read_history if you have these tools.`;

async function readEnd(path: string): Promise<Buffer> {
  const file = await openTranscript(path);
  try {
    const { size } = await file.stat();
    return await readRange(file, Math.max(0, size - MAX_BYTES), size);
  } finally {
    await file.close();
  }
}

/**
 * Where the compacted context starts. A client may write the line of its compaction only after the hook: then the answers
 * of the model continue to the end of the file.
 */
function findStretch(bytes: Buffer): { from: number; isWritten: boolean } {
  const last = lastBoundary(bytes, bytes.length);
  if (last === null) return { from: 0, isWritten: false };
  const isWritten = !ANSWER.test(bytes.toString('latin1', last.to));
  if (!isWritten) return { from: last.to, isWritten };
  return { from: lastBoundary(bytes, last.from)?.to ?? 0, isWritten };
}

/** The last line before `end` that records a compaction. */
function lastBoundary(bytes: Buffer, end: number): { from: number; to: number } | null {
  const places = marksOf('boundary').map((mark) => Buffer.from(mark));
  for (let before = end; before > 0; ) {
    const at = Math.max(...places.map((mark) => bytes.subarray(0, before).lastIndexOf(mark)));
    if (at < 0) return null;
    const from = bytes.lastIndexOf(LINE_FEED, at) + 1;
    const feed = bytes.indexOf(LINE_FEED, at);
    const to = feed < 0 ? bytes.length : feed + 1;
    if (readSigns('boundary', bytes.toString('utf8', from, to)).length > 0) return { from, to };
    before = from;
  }
  return null;
}
