import { ENTRY_KINDS, type EntryKind } from '@/core/agents/entry';
import type { TranscriptOutline } from '@/core/api/transcript-contents';

interface SketchedEntry {
  kind: EntryKind;
  chain?: number | undefined;
  call?: number | null | undefined;
  pair?: number | null | undefined;
}

/** Reads `user tool_call@1:0>4`: kinds of entries, each with its chain (@), call (:) and pair (>). */
function readSketch(sketch: string): SketchedEntry[] {
  const numberOf = (text: string | undefined) => (text === undefined ? undefined : Number(text));
  return sketch.split(' ').map((entry) => {
    const [, kind, chain, call, pair] = /^(\w+)(?:@(\d+))?(?::(\d+))?(?:>(\d+))?$/.exec(entry) ?? [];
    return { kind: kind as EntryKind, chain: numberOf(chain), call: numberOf(call), pair: numberOf(pair) };
  });
}

/** An outline from a sketch of its entries, one per line of the file. */
export function outlineOf(
  sketch: string | readonly SketchedEntry[],
  more: Partial<TranscriptOutline> = {},
): TranscriptOutline {
  const all = typeof sketch === 'string' ? readSketch(sketch) : sketch;
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
      line: all.map((_, index) => index),
      bytes: all.map(() => 1_000),
      at: all.map((_, index) => 1_763_800_000 + index * 10),
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
  const usage = { input: 10, output: 200, cacheRead: contextTokens - 210, cacheCreation: 0 };
  return { entry, contextTokens, chain, model: 'claude-sonnet-4-5', ...usage };
}
