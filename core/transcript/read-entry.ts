/** From the bytes of an entry to what it is. Never throws, whatever the bytes are. */
import { bareEntry, type ReadEntry } from './entry';
import type { TranscriptFormat } from './formats';
import { asFields, type Fields } from './json-values';
import { readClaudeCode } from './read-claude-code';
import { readCodex } from './read-codex';

const decoder = new TextDecoder();

/** Broken UTF-8 becomes U+FFFD. */
export function decodeBytes(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** `bytes` is null where the line is too long to be held. */
export function readEntry(bytes: Uint8Array | null, format: TranscriptFormat): ReadEntry {
  if (bytes === null) return bareEntry('raw', 'a line too long to be shown');
  const text = decodeBytes(bytes);
  if (format === 'text') {
    const entry = bareEntry(text.trim() === '' ? 'blank' : 'text');
    entry.blocks = text === '' ? [] : [{ type: 'text', text: text.replace(/\r$/, '') }];
    return entry;
  }
  if (text.trim() === '') return bareEntry('blank');
  const fields = parseFields(text);
  if (fields === null) return bareEntry('raw');
  try {
    return format === 'codex' ? readCodex(fields) : readClaudeCode(fields);
  } catch {
    // Nesting beyond the stack, or a shape nobody thought of: the line itself is still shown.
    return bareEntry('raw');
  }
}

export function parseFields(text: string): Fields | null {
  try {
    return asFields(JSON.parse(text));
  } catch {
    return null;
  }
}
