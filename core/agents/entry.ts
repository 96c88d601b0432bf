/**
 * Kind of a transcript entry: one JSON value of a line, a line of text, or unreadable bytes.
 *
 * `thinking`, `tool_call`, `tool_result`: a message with only that content. `system`: text from the client to the model
 * or the person. `summary`: the summary of a compaction. `compaction`: its boundary. `record`: bookkeeping of the
 * client and unknown lines. `raw`: not JSON, shown as is. `text`: a line of a plain text file. `blank`: white space
 * only.
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

const MESSAGES = ['user', 'assistant', 'thinking', 'tool_call', 'tool_result', 'summary'] as const;
export const MESSAGE_KINDS: ReadonlySet<EntryKind> = new Set(MESSAGES);

/** Image types that a page shows. SVG is excluded because it can hold scripts. */
export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;
type ImageType = (typeof IMAGE_TYPES)[number];

export type TextBlock = { type: 'text'; text: string };
export type ImageBlock = { type: 'image'; mediaType: ImageType | null; data: string };
export type OtherBlock = { type: 'other'; name: string; text: string };
/** Parts beyond the budget of an entry. Only search reads them. */
export type RestBlock = { type: 'rest'; parts: number; values: readonly unknown[] };

export type Block =
  | TextBlock
  | { type: 'thinking'; text: string }
  | {
      type: 'tool_call';
      callId: string | null;
      name: string;
      label: string | null;
      text: string;
      isJson: boolean;
      input: unknown;
    }
  | {
      type: 'tool_result';
      callId: string | null;
      isError: boolean;
      content: (TextBlock | ImageBlock | OtherBlock | RestBlock)[];
    }
  | ImageBlock
  | OtherBlock
  | RestBlock;

export interface CallCounts {
  input: number;
  output: number;
  cacheRead: number;
  cacheCreation: number;
  contextTokens: number;
}

export interface Boundary {
  /** The client's own id of the compaction, if there is one. */
  id: string | null;
  /** Milliseconds. */
  at: number | null;
  /** Null: the client does not state it. */
  trigger: 'auto' | 'manual' | null;
  preTokens: number | null;
  postTokens: number | null;
  durationMs: number | null;
  /** Ids of the messages that stay verbatim. */
  keptIds: readonly string[];
  /** Texts of the messages that the new context starts with. */
  keptTexts: readonly string[];
  /** Null unless the boundary's own line has the summary. */
  summary: string | null;
  /** Id of the call that the client made for the compaction, if the boundary's line states it. */
  ownCall?: string;
}

export interface EntryCall {
  id: string;
  model: string | null;
  counts: CallCounts;
  /** A request of the client itself, which does not change the context. */
  isSide: boolean;
  /** `totals`: a usage event after its entries, often repeated. `response`: usage of one response, preferred to totals. */
  source: 'line' | 'totals' | 'response';
}

export interface ReadEntry {
  kind: EntryKind;
  name: string | null;
  at: number | null;
  id: string | null;
  isMeta: boolean;
  blocks: Block[];
  chain: string | null;
  /** In a sub-agent's line, the id of the tool call that started the chain. In a tool result, the id of the chain. */
  startedBy: string | null;
  call: EntryCall | null;
  boundary: Boundary | null;
  /** Size of the context window, if the line states it. */
  window: number | null;
  /** The client's estimate of the context after a compaction, tokens. */
  keptTokens: number | null;
  /** The entry replaces an earlier entry with the same id. */
  isRewrite: boolean;
}

export function bareEntry(kind: EntryKind, name: string | null = null): ReadEntry {
  const unknown = { at: null, id: null, chain: null, startedBy: null, call: null, boundary: null };
  return {
    kind,
    name,
    isMeta: false,
    blocks: [],
    window: null,
    keptTokens: null,
    isRewrite: false,
    ...unknown,
  };
}

/** Kind of an entry with these blocks: their common kind, else the role. */
export function kindOf(role: 'user' | 'assistant', blocks: readonly Block[]): EntryKind {
  const [first] = blocks;
  if (first === undefined) return role;
  const { type } = first;
  if (type !== 'thinking' && type !== 'tool_call' && type !== 'tool_result') return role;
  return blocks.every((block) => block.type === type || block.type === 'rest') ? type : role;
}
