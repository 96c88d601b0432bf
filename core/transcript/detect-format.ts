import type { TranscriptFormat } from './formats';
import { asFields } from './json-values';
import { decodeBytes, parseFields } from './read-entry';
import { cutGluedValues, type EntryBytes } from './split-entries';

/** What the first lines of a file show, for as long as they show nothing: null. */
export function formatOfLine(entry: EntryBytes): TranscriptFormat | null {
  if (entry.bytes === null) return null;
  const [end] = cutGluedValues(entry.bytes);
  const fields = parseFields(decodeBytes(end === undefined ? entry.bytes : entry.bytes.subarray(0, end)));
  if (fields === null || typeof fields.type !== 'string') return null;
  if (asFields(fields.payload) !== null && 'timestamp' in fields) return 'codex';
  const isClaude = ['sessionId', 'uuid', 'leafUuid', 'messageId', 'session_id'].some(
    (name) => name in fields,
  );
  return isClaude ? 'claude-code' : null;
}

/** What a file is whose lines show nothing: its name decides how it is shown. */
export function formatOfName(fileName: string): TranscriptFormat {
  return /\.jsonl$/i.test(fileName) ? 'claude-code' : 'text';
}
