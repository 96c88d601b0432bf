/** The searchable text of an entry, without images and client records. */
import type { Block, ReadEntry } from '../agents/entry';

/** Characters per piece. Pieces overlap, so that each phrase is complete in one piece. */
const PIECE_CHARACTERS = 48_000;
const OVERLAP = 400;
const MAX_RECORD = 4_000;
const SILENT =
  /^(progress|file-history|queue-operation|mode$|permission-mode|event_msg\/|turn_context|world_state|token_usage|\$)/;

/** @param source the masked line */
export function searchPieces(entry: ReadEntry, source: () => string): { at: number; text: string }[] {
  const text =
    entry.kind === 'raw' || entry.kind === 'record' ? recordText(entry, source) : blocksText(entry.blocks);
  if (text.length <= PIECE_CHARACTERS) return text.trim() === '' ? [] : [{ at: 0, text }];
  const pieces: { at: number; text: string }[] = [];
  for (let at = 0; at < text.length; at += PIECE_CHARACTERS - OVERLAP) {
    pieces.push({ at, text: text.slice(at, at + PIECE_CHARACTERS) });
  }
  return pieces;
}

function recordText(entry: ReadEntry, source: () => string): string {
  if (entry.kind === 'raw') return source();
  return entry.name !== null && SILENT.test(entry.name) ? '' : source().slice(0, MAX_RECORD);
}

function blocksText(blocks: readonly Block[]): string {
  return blocks.map(blockText).join('\n');
}

function blockText(block: Block): string {
  switch (block.type) {
    case 'text':
    case 'thinking':
    case 'other':
      return block.text;
    case 'tool_call':
      return `${block.name}\n${block.text}`;
    case 'tool_result':
      return blocksText(block.content);
    case 'rest':
      return restText(block.values);
    case 'image':
      return '';
  }
}

/** Fields with encoded data, which search skips. */
const ENCODED: ReadonlySet<string> = new Set(['data', 'signature', 'encrypted_content', 'image_url']);

/** The texts in unread parts, in order. Not recursive, because parts may be nested too deeply for the stack. */
function restText(values: readonly unknown[]): string {
  const texts: string[] = [];
  const waiting: unknown[] = [...values].reverse();
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value === 'string') texts.push(value);
    else if (typeof value === 'number') texts.push(String(value));
    else if (Array.isArray(value)) for (let i = value.length - 1; i >= 0; i -= 1) waiting.push(value[i]);
    else if (typeof value === 'object' && value !== null) {
      for (const [name, inner] of Object.entries(value).reverse()) {
        if (!ENCODED.has(name) && name !== 'type') waiting.push(inner);
      }
    }
  }
  return texts.join('\n');
}
