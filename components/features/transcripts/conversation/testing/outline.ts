import { ENTRY_KINDS, type EntryKind } from '@/core/agents/entry';
import type { TranscriptOutline } from '@/core/api/transcript-contents';

export interface SketchedEntry {
  kind: EntryKind;
  chain?: number;
  call?: number | null;
  pair?: number | null;
  line?: number;
  bytes?: number;
  at?: number | null;
}

/** An outline from a sketch of its entries. */
export function outlineOf(
  entries: readonly (EntryKind | SketchedEntry)[],
  more: Partial<TranscriptOutline> = {},
): TranscriptOutline {
  const all = entries.map((entry): SketchedEntry => (typeof entry === 'string' ? { kind: entry } : entry));
  return {
    id: '0190b0a0-0000-7000-8000-000000000001',
    state: 'read',
    reason: null,
    readAt: '2026-11-22T14:03:00Z',
    format: 'claude-code',
    bytes: 1_000 * all.length,
    lines: all.length,
    entries: all.length,
    messages: all.length,
    window: 200_000,
    secrets: 0,
    columns: {
      kind: all.map(({ kind }) => ENTRY_KINDS.indexOf(kind)),
      line: all.map(({ line }, index) => line ?? index),
      bytes: all.map(({ bytes }) => bytes ?? 1_000),
      at: all.map(({ at }, index) => (at === undefined ? 1_763_800_000 + index * 10 : at)),
      chain: all.map(({ chain }) => chain ?? 0),
      call: all.map(({ call }) => call ?? null),
      pair: all.map(({ pair }) => pair ?? null),
    },
    calls: [],
    chains: [0, 1, 2].map((number) => ({
      key: `chain ${number}`,
      call: null,
      entry: 0,
      entries: all.filter(({ chain = 0 }) => chain === number).length,
    })),
    compactions: [],
    boundaries: 0,
    ...more,
  };
}

export function callOf(entry: number, contextTokens: number, chain = 0): TranscriptOutline['calls'][number] {
  return {
    entry,
    contextTokens,
    chain,
    model: 'claude-sonnet-4-5',
    input: 10,
    output: 200,
    cacheRead: contextTokens - 210,
    cacheCreation: 0,
  };
}
