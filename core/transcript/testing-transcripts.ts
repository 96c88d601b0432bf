/** Lines of transcripts for tests, with the shapes of real lines and invented contents. */

import type { TranscriptFormat } from '../agents/clients';
import type { ReadEntry } from '../agents/entry';
import { createEntrySplitter, cutGluedValues, type EntryBytes } from './split-entries';
import { createTranscriptReader } from './transcript-reader';

const encoder = new TextEncoder();

export const toBytes = (text: string): Uint8Array => encoder.encode(text);
export const toLines = (values: readonly unknown[]): string =>
  values.map((value) => `${typeof value === 'string' ? value : JSON.stringify(value)}\n`).join('');

let uuids = 0;
const line = (type: string, more: object): object => {
  uuids += 1;
  return { type, uuid: `id-${uuids}`, sessionId: 's', timestamp: '2026-03-01T10:00:00.000Z', ...more };
};

export const said = (text: string, more: object = {}): object =>
  line('user', { message: { role: 'user', content: text }, ...more });

export interface Answer {
  call?: string;
  output?: number;
  input?: number;
  model?: string;
}

export const answered = (
  block: object,
  { call = 'm1', output = 10, input = 1_000, model = 'm' }: Answer = {},
  more = {},
) =>
  line('assistant', {
    message: {
      id: call,
      model,
      role: 'assistant',
      content: [block],
      usage: { input_tokens: input, output_tokens: output },
    },
    ...more,
  });

export const toolUse = (id: string, name: string, input: object): object => ({
  type: 'tool_use',
  id,
  name,
  input,
});

export const toolResult = (id: string, content: unknown, more: object = {}): object =>
  line('user', {
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }] },
    ...more,
  });

export const boundary = (metadata: object = { trigger: 'auto', preTokens: 5_000 }): object =>
  line('system', {
    subtype: 'compact_boundary',
    content: 'Conversation compacted',
    compactMetadata: metadata,
  });

export const summary = (text: string): object => said(text, { isCompactSummary: true });

export function split(bytes: Uint8Array): EntryBytes[] {
  const splitter = createEntrySplitter(cutGluedValues);
  return [...splitter.push(bytes), ...splitter.end()];
}

/** Reads a whole transcript. */
export function readAll(
  text: string | Uint8Array,
  format: TranscriptFormat = 'claude-code',
  followed: string | null = null,
) {
  const reader = createTranscriptReader(format);
  const entries: ReadEntry[] = split(typeof text === 'string' ? toBytes(text) : text).map(
    (bytes) => reader.take(bytes).entry,
  );
  return { entries, ...reader.finish(followed) };
}
