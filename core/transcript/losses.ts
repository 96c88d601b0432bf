/**
 * What each compaction dropped: the context before its boundary compared with the summary and the kept messages. The
 * current context is held as a few words per entry, without texts, until its boundary.
 */

import type { Boundary, ReadEntry } from '../agents/entry';
import type { TranscriptLost } from '../api/transcript-lost';
import type { BookedCall } from './call-book';
import { MAX_SUMMARY } from './limits';
import { createLossContext, keyOfText, type LossContext, type LostFile } from './loss-context';
import type { OutlineCompaction } from './outline';
import { createNames } from './summary-names';

export type Loss = Omit<NonNullable<TranscriptLost['lost']>, 'compaction'> & {
  compaction: OutlineCompaction;
};

const MAX_LISTED = 500;
/** Ranges and kept messages listed per loss; more are only counted. */
const MAX_RANGES = 2_000;

interface Closed {
  compaction: OutlineCompaction;
  context: LossContext;
  boundary: Boundary;
  before: number | null;
  summary: string | null;
  after: number | null;
}

/** @param most number of losses to keep: the first ones and the last */
export function createLossBook(most: number) {
  const made: (Pick<Closed, 'after' | 'compaction'> & { loss: Loss })[] = [];
  let context = createLossContext(0);
  let open: Closed | null = null;

  const settle = (): void => {
    if (open === null) return;
    if (made.length >= most) made.pop();
    const { after, compaction } = open;
    made.push({ after, compaction, loss: makeLoss(open) });
    open = null;
  };

  return {
    /** An entry of the main chain; `call` has the context size after it. */
    take(entry: ReadEntry, index: number, bytes: number, call: number | null): void {
      if (open !== null) {
        if (entry.kind === 'summary') open.summary ??= textOf(entry);
        open.after ??= call;
      }
      context.take(entry, index, bytes);
    },
    close(compaction: OutlineCompaction, boundary: Boundary, before: number | null): void {
      settle();
      open = { compaction, context, boundary, before, summary: boundary.summary, after: null };
      context = createLossContext(compaction.entry + 1);
    },
    /** @param followed the summary of the last compaction when the file ends with its line; null: unknown */
    finish(calls: readonly BookedCall[], followed: string | null): Loss[] {
      if (open !== null) open.summary ??= followed;
      settle();
      return made.map(({ after: call, compaction, loss }) => {
        const after = call === null ? null : (calls[call]?.contextTokens ?? null);
        return { ...loss, tokens: { ...loss.tokens, kept: compaction.postTokens, after } };
      });
    },
  };
}

function textOf(entry: ReadEntry): string {
  return entry.blocks.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
}

function makeLoss({ compaction, context, boundary, before, summary }: Closed): Loss {
  const keptIds = new Set(boundary.keptIds);
  const keptTexts = new Set(boundary.keptTexts.map(keyOfText));
  const isKept = (item: { id: string | null; text: number | null }): boolean =>
    (item.id !== null && keptIds.has(item.id)) || (item.text !== null && keptTexts.has(item.text));
  const kept = { messages: 0, entries: [] as number[] };
  const gone: Loss['gone'] = { messages: 0, kinds: {}, kindBytes: {}, ranges: [], bytes: 0 };
  const keptEntries = new Set<number>();
  for (const item of context.items) {
    if (isKept(item)) {
      kept.messages += 1;
      keptEntries.add(item.entry);
      if (kept.entries.length < MAX_RANGES) kept.entries.push(item.entry);
      continue;
    }
    gone.messages += 1;
    gone.bytes += item.bytes;
    gone.kinds[item.kind] = (gone.kinds[item.kind] ?? 0) + 1;
    gone.kindBytes[item.kind] = (gone.kindBytes[item.kind] ?? 0) + item.bytes;
    extendRanges(gone.ranges, item.entry, kept.entries.at(-1) ?? -1);
  }
  // Without a summary, only the kept messages can name files and tools.
  const text = summary ?? boundary.keptTexts.join('\n');
  const isNamed = createNames(text);
  const filesNamed: LostFile[] = [];
  const filesNotNamed: LostFile[] = [];
  for (const file of context.files.values()) (isNamed(file.path) ? filesNamed : filesNotNamed).push(file);
  const tools = context.tools.filter((tool) => !keptEntries.has(tool.entry));
  const toolsNotNamed = tools.filter((tool) => !tool.needles.some(isNamed));
  return {
    compaction,
    from: context.from,
    summary: summary === null ? null : { text: text.slice(0, MAX_SUMMARY), characters: text.length },
    tokens: { before, preTokens: compaction.preTokens, kept: null, after: null },
    kept,
    gone,
    filesNamed: filesNamed.slice(0, MAX_LISTED),
    filesNotNamed: filesNotNamed.slice(0, MAX_LISTED),
    toolsNotNamed: toolsNotNamed
      .slice(0, MAX_LISTED)
      .map(({ entry, tool, label, isError, characters }) => ({ entry, tool, label, isError, characters })),
    toolsNotNamedTotal: toolsNotNamed.length,
    toolsTotal: tools.length,
  };
}

/** Dropped entries form one range until a kept message separates them. */
function extendRanges(ranges: [number, number][], entry: number, lastKept: number): void {
  const last = ranges.at(-1);
  if (last !== undefined && (lastKept < last[1] || ranges.length >= MAX_RANGES)) last[1] = entry;
  else ranges.push([entry, entry]);
}
