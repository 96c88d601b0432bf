/**
 * What an entry of a transcript is. An entry is one JSON value of a line, a line of text, or what could not be
 * read; every byte of the file belongs to exactly one.
 *
 * `user`, `assistant`: a message. `thinking`, `tool_call`, `tool_result`: a message of nothing else. `system`: what
 * the client told the model or the person. `summary`: a compaction's summary. `compaction`: its boundary. `record`: the
 * client's own bookkeeping, and lines of a kind nobody knows. `raw`: no JSON, shown as it stands. `text`: a line of a
 * file that is plain text. `blank`: nothing but white space.
 */
export const ENTRY_KINDS = [
  'user',
  'assistant',
  'thinking',
  'tool_call',
  'tool_result',
  'system',
  'summary',
  'compaction',
  'record',
  'raw',
  'text',
  'blank',
] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

/** The pictures a transcript may carry that a page shows. SVG is none of them: it can hold scripts. */
export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;
export type ImageType = (typeof IMAGE_TYPES)[number];
