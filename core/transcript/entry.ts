/** An entry as it was read: what it is and what it holds, whole. */
import type { EntryKind, ImageType } from './entry-kinds';

export type TextBlock = { type: 'text'; text: string };
export type ImageBlock = { type: 'image'; mediaType: ImageType | null; data: string };
export type OtherBlock = { type: 'other'; name: string; text: string };
/** So many parts more, which are not taken apart, as the line holds them: search alone looks through them. */
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
      /** What it was called with, for those who look for files in it. */
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
  /** The context's size after the call. */
  contextTokens: number;
}

export interface Boundary {
  trigger: 'auto' | 'manual' | null;
  preTokens: number | null;
  postTokens: number | null;
  durationMs: number | null;
  /** Ids of the messages that stay word for word (Claude Code). */
  keptIds: readonly string[];
  /** Texts of the messages that the new context begins with (Codex). */
  keptTexts: readonly string[];
  /** The summary, where the boundary's own line holds it. */
  summary: string | null;
}

export interface ReadEntry {
  kind: EntryKind;
  name: string | null;
  /** Seconds since the epoch. */
  at: number | null;
  id: string | null;
  isMeta: boolean;
  blocks: Block[];
  /** Of a sub-agent; null: main. */
  chain: string | null;
  /** Id of the tool call that started the chain, where the line says it. */
  startedBy: string | null;
  /** A call the line is part of, or reports (`isReport`: of the entries before it). */
  call: { id: string; model: string | null; counts: CallCounts; isSide: boolean; isReport: boolean } | null;
  boundary: Boundary | null;
  /** Size of the context window, where the line states it. */
  window: number | null;
}

export function bareEntry(kind: EntryKind, name: string | null = null): ReadEntry {
  return {
    kind,
    name,
    at: null,
    id: null,
    isMeta: false,
    blocks: [],
    chain: null,
    startedBy: null,
    call: null,
    boundary: null,
    window: null,
  };
}

/** What an entry of these blocks is: of one kind alone, or a message of the role. */
export function kindOf(role: 'user' | 'assistant', blocks: readonly Block[]): EntryKind {
  const [first] = blocks;
  if (first === undefined) return role;
  const { type } = first;
  if (type !== 'thinking' && type !== 'tool_call' && type !== 'tool_result') return role;
  return blocks.every((block) => block.type === type || block.type === 'rest') ? type : role;
}
