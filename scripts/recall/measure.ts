/** What an agent went back to after a compaction, and which of it the summary and the recall note name. */

import type { ReadEntry } from '../../core/agents/entry';
import { humanTextOf } from '../../core/agents/human-text';
import { filesOf } from '../../core/agents/tool-calls';
import { estimateTokens } from '../../core/tokens/estimate-tokens';
import type { Loss } from '../../core/transcript/losses';
import { formatOfEntry } from '../../core/transcript/read-entry';
import { makeRecallNote } from '../../core/transcript/recall-note';
import { createEntrySplitter, cutGluedValues } from '../../core/transcript/split-entries';
import { createQuotes } from '../../core/transcript/summary-names';
import { createTranscriptReader } from '../../core/transcript/transcript-reader';

const KINDS = ['files', 'commands', 'messages'] as const;
type Kind = (typeof KINDS)[number];
export type Counts = Record<Kind, number>;

export interface MeasuredCompaction {
  entry: number;
  /** Things of the compacted context that the agent or the person used again in the next context. */
  again: Counts;
  bySummary: Counts;
  /** By the summary and the three most recent other files. */
  byThree: Counts;
  /** By the summary and as many of the most recent other files and commands as the note has lines for both. */
  byRecent: Counts;
  byNote: Counts;
  /** Lines of the note with files and commands, and how many of them were never used again. */
  lines: number;
  unused: number;
  tokens: number;
  /** Messages of the compacted context: all, in the summary, whole in the note, shortened in the note, in neither. */
  messages: { all: number; inSummary: number; whole: number; shortened: number; missing: number };
}

/** What one context used. The value is the last entry with the use. */
type Uses = Record<Kind, Map<string, number>>;

const noUses = (): Uses => ({ files: new Map(), commands: new Map(), messages: new Map() });
const isShell = (tool: string) => /bash|shell|exec|command/i.test(tool);

function addUses(uses: Uses, entry: ReadEntry, index: number): void {
  if (entry.chain !== null) return;
  const message = humanTextOf(entry);
  if (message !== null) uses.messages.set(message, index);
  for (const block of entry.blocks) {
    if (block.type !== 'tool_call') continue;
    for (const { path } of filesOf(block.name, block.input)) uses.files.set(path, index);
    if (isShell(block.name) && block.label !== null) uses.commands.set(block.label, index);
  }
}

/** Null: the file is not a transcript of lines. */
export function measureTranscript(bytes: Uint8Array): MeasuredCompaction[] | null {
  const splitter = createEntrySplitter(cutGluedValues);
  const parts = [...splitter.push(bytes), ...splitter.end()];
  const format = parts
    .slice(0, 200)
    .map(formatOfEntry)
    .find((found) => found !== null);
  if (format === undefined) return null;
  const reader = createTranscriptReader(format ?? 'text');
  const contexts = [noUses()];
  for (const part of parts) {
    const { entry, index } = reader.take(part);
    if (entry.boundary !== null) contexts.push(noUses());
    addUses(contexts.at(-1) as Uses, entry, index);
  }
  const { losses } = reader.finish();
  return losses.map((loss, i) => measureLoss(loss, contexts[i] ?? noUses(), contexts[i + 1] ?? noUses()));
}

function measureLoss(loss: Loss, before: Uses, after: Uses): MeasuredCompaction {
  const note = makeRecallNote(loss, { estimate: estimateTokens, lookUp: 'Look up: search_history.' });
  const text = note?.text ?? '';
  const again = Object.fromEntries(
    KINDS.map((kind) => [kind, [...before[kind].keys()].filter((key) => after[kind].has(key))]),
  ) as Record<Kind, string[]>;
  const unnamed = new Set([
    ...loss.filesNotNamed.map(({ path }) => path),
    ...loss.toolsNotNamed.map(({ label }) => label),
    ...loss.prompts.flatMap((prompt) => (prompt.isNamed ? [] : prompt.text)),
  ]);
  const isNamed = (key: string) => !unnamed.has(key);
  const isNoted = createQuotes(text);
  const recent = [...before.files, ...before.commands]
    .filter(([key]) => !isNamed(key))
    .toSorted(([, a], [, b]) => b - a)
    .map(([key]) => key);
  const three = recent.filter((key) => before.files.has(key)).slice(0, 3);
  const listed = [...(note?.files ?? []), ...(note?.commands ?? [])];
  const most = recent.slice(0, listed.length);
  const count = (isIn: (kind: Kind, key: string) => boolean) =>
    Object.fromEntries(
      KINDS.map((kind) => [kind, again[kind].filter((key) => isNamed(key) || isIn(kind, key)).length]),
    ) as Counts;
  const used = new Set([...again.files, ...again.commands]);
  const lost = loss.prompts.filter(({ isNamed: isInSummary }) => !isInSummary);
  const distinct = [...new Set(lost.map((prompt) => prompt.text))];
  const whole = distinct.filter((prompt) => text.includes(`"${prompt.trim()}"`)).length;
  const missing = note?.omitted ?? 0;
  return {
    entry: loss.compaction.entry,
    again: count(() => true),
    bySummary: count(() => false),
    byThree: count((_, key) => three.includes(key)),
    byRecent: count((_, key) => most.includes(key)),
    byNote: count((kind, key) => (kind === 'messages' ? isNoted(key) : listed.includes(key))),
    lines: listed.length,
    unused: listed.filter((key) => !used.has(key)).length,
    tokens: note?.tokens ?? 0,
    messages: {
      all: loss.prompts.length,
      inSummary: loss.prompts.length - lost.length,
      whole,
      shortened: distinct.length - whole - missing,
      missing,
    },
  };
}
