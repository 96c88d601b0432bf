/** Reads entries from bytes. No function here throws. */
import type { TranscriptFormat } from '../agents/clients';
import { bareEntry, type ReadEntry } from '../agents/entry';
import { type Fields, parseFields } from '../agents/fields';
import { formatNamed, formatOfLine } from '../agents/registry';
import { cutGluedValues, type EntryBytes } from './split-entries';

const decoder = new TextDecoder();

/** Broken UTF-8 becomes U+FFFD. */
export function decodeBytes(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

export function formatOfEntry({ bytes }: EntryBytes): TranscriptFormat | null {
  const fields = bytes === null ? null : fieldsOf(bytes);
  return fields === null ? null : formatOfLine(fields);
}

/** Parse the object of an entry. Ignore a separator or a document's end after it; complete the start of a document. */
export function fieldsOf(bytes: Uint8Array): Fields | null {
  const [end] = cutGluedValues(bytes);
  const text = decodeBytes(end === undefined ? bytes : bytes.subarray(0, end));
  return parseFields(/\[\s*$/.test(text) ? `${text}]}` : text);
}

/** @param bytes null: the line is too long */
export function readEntry(bytes: Uint8Array | null, format: TranscriptFormat): ReadEntry {
  if (bytes === null) return bareEntry('raw', 'a line too long to be shown');
  const text = decodeBytes(bytes);
  const reader = formatNamed(format);
  if (reader === undefined) {
    const entry = bareEntry(text.trim() === '' ? 'blank' : 'text');
    entry.blocks = text === '' ? [] : [{ type: 'text', text: text.replace(/\r$/, '') }];
    return entry;
  }
  if (text.trim() === '') return bareEntry('blank');
  const fields = fieldsOf(bytes);
  if (fields === null) return bareEntry('raw');
  try {
    return reader.readEntry(fields);
  } catch {
    // Too deep for the stack: the line is shown as is.
    return bareEntry('raw');
  }
}
