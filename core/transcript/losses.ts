/**
 * Finds what each compaction dropped: compares the context before the boundary with the summary and the kept messages.
 * The current context is in memory. Of its texts, it holds only the person's messages and the tasks.
 */
import { type Block, type Boundary, type EntryKind, MESSAGE_KINDS, type ReadEntry } from '../agents/entry';
import { cleanText } from '../agents/fields';
import { humanTextOf } from '../agents/human-text';
import { filesOf, type Task, tasksAfter, tasksNamed } from '../agents/tool-calls';
import type { TranscriptLost } from '../api/transcript-lost';
import { cutPoints } from '../protocol/code-points';
import { estimateTokens } from '../tokens/estimate-tokens';
import type { BookedCall } from './call-book';
import { MAX_SUMMARY, SHORT_TEXT } from './limits';
import type { OutlineCompaction } from './outline';
import { createMentions, createNames, createQuotes } from './summary-names';

type Lost = NonNullable<TranscriptLost['lost']>;
type LostFile = Lost['filesNamed'][number];
type LostTool = Lost['toolsNotNamed'][number];
type LostPrompt = Lost['prompts'][number];

export type Loss = Omit<Lost, 'compaction'> & { compaction: OutlineCompaction };

const MAX_LISTED = 500;
/** Maximum of ranges and kept messages listed per loss. Further ranges and messages are only counted. */
const MAX_RANGES = 2_000;

interface Closed {
  compaction: OutlineCompaction;
  context: ReturnType<typeof createLossContext>;
  boundary: Boundary;
  before: number | null;
  summary: string | null;
  after: number | null;
}

/** @param most maximum number of losses: the first ones and the last */
export function createLossBook(most: number) {
  const made: (Pick<Closed, 'after' | 'compaction'> & { loss: Loss })[] = [];
  let context = createLossContext(0, []);
  let open: Closed | null = null;

  const settle = (): void => {
    if (open === null) return;
    if (made.length >= most) made.pop();
    const { after, compaction } = open;
    made.push({ after, compaction, loss: makeLoss(open) });
    open = null;
  };

  return {
    /** An entry of the main chain; `call` has the context size after the entry. */
    take(entry: ReadEntry, index: number, call: number | null): void {
      if (open !== null) {
        if (entry.kind === 'summary') open.summary ??= textIn(entry.blocks);
        open.after ??= call;
      }
      context.take(entry, index);
    },
    close(compaction: OutlineCompaction, boundary: Boundary, before: number | null): void {
      settle();
      open = { compaction, context, boundary, before, summary: boundary.summary, after: null };
      context = createLossContext(compaction.entry + 1, context.tasks());
    },
    /** @param followed the summary of a last compaction without a summary in the file. Null: unknown */
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

function makeLoss({ compaction, context, boundary, before, summary }: Closed): Loss {
  const keptIds = new Set(boundary.keptIds);
  const keptTexts = new Set(boundary.keptTexts.map(keyOfText));
  const isKept = (item: { id: string | null; text: number | null }): boolean =>
    (item.id !== null && keptIds.has(item.id)) || (item.text !== null && keptTexts.has(item.text));
  const kept = { messages: 0, entries: [] as number[] };
  const gone: Loss['gone'] = { messages: 0, kinds: {}, kindTokens: {}, ranges: [], tokens: 0 };
  const keptEntries = new Set<number>();
  for (const item of context.items) {
    if (isKept(item)) {
      kept.messages += 1;
      keptEntries.add(item.entry);
      if (kept.entries.length < MAX_RANGES) kept.entries.push(item.entry);
      continue;
    }
    gone.messages += 1;
    gone.tokens += item.tokens;
    gone.kinds[item.kind] = (gone.kinds[item.kind] ?? 0) + 1;
    gone.kindTokens[item.kind] = (gone.kindTokens[item.kind] ?? 0) + item.tokens;
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
  const isQuoted = createQuotes(text);
  const isMentioned = createMentions(text);
  const prompts = context.prompts.filter(({ entry }) => !keptEntries.has(entry));
  return {
    compaction,
    from: context.from,
    summary: summary === null ? null : { text: cutPoints(text, MAX_SUMMARY), characters: text.length },
    tokens: { before, preTokens: compaction.preTokens, kept: null, after: null },
    kept,
    gone,
    filesNamed: filesNamed.slice(0, MAX_LISTED),
    filesNotNamed: filesNotNamed.slice(0, MAX_LISTED),
    toolsNotNamed: toolsNotNamed
      .slice(0, MAX_LISTED)
      .map(({ entry, tool, label, isError, characters, problem }) => {
        return { entry, tool, label, isError, characters, problem };
      }),
    toolsNotNamedTotal: toolsNotNamed.length,
    toolsTotal: tools.length,
    prompts: prompts.map((prompt) => ({ ...prompt, isNamed: isQuoted(prompt.text) })),
    tasks: context.tasks().flatMap(({ text: task, state }) => {
      return state === 'done' || isQuoted(task) || isMentioned(task)
        ? []
        : [{ text: task, isStarted: state === 'started' }];
    }),
  };
}

/** Adds an entry to the last range, or starts a new range after a kept message. */
function extendRanges(ranges: [number, number][], entry: number, lastKept: number): void {
  const last = ranges.at(-1);
  if (last !== undefined && (lastKept < last[1] || ranges.length >= MAX_RANGES)) last[1] = entry;
  else ranges.push([entry, entry]);
}

interface Item {
  entry: number;
  kind: EntryKind;
  /** Estimated from the texts. */
  tokens: number;
  id: string | null;
  /** Key of the message's text. Null: no text. */
  text: number | null;
}

interface ContextTool extends LostTool {
  /** Names by which a summary may mention the tool call. */
  needles: string[];
}

const MAX_TOOLS = 20_000;
const MAX_FILES = 5_000;
const MAX_NEEDLE = 300;
/** The newest messages of a person are kept. */
const MAX_PROMPTS = 500;
const MAX_PROBLEM = 200;

/** @param inherited the tasks of the context before, because a client keeps its list over a compaction */
function createLossContext(from: number, inherited: readonly Task[]) {
  let tasks = inherited;
  const prompts: Omit<LostPrompt, 'isNamed'>[] = [];
  const items: Item[] = [];
  const tools: ContextTool[] = [];
  const byCall = new Map<string, ContextTool>();
  const files = new Map<string, LostFile>();

  const takeFiles = (touched: ReturnType<typeof filesOf>, entry: number): void => {
    for (const { path, isChange } of touched) {
      const known = files.get(path);
      if (known === undefined && files.size >= MAX_FILES) continue;
      const file = known ?? { path, reads: 0, changes: 0, entry };
      file.entry = entry;
      if (isChange) file.changes += 1;
      else file.reads += 1;
      files.set(path, file);
    }
  };

  const takePrompt = (entry: ReadEntry, index: number): void => {
    const text = humanTextOf(entry);
    if (text === null) return;
    if (prompts.length >= MAX_PROMPTS) prompts.shift();
    prompts.push({ entry: index, text: cutPoints(text, SHORT_TEXT), characters: text.length });
  };

  return {
    from,
    items,
    tools,
    files,
    prompts,
    tasks: () => tasks,
    take(entry: ReadEntry, index: number): void {
      if (!MESSAGE_KINDS.has(entry.kind)) return;
      items.push({
        entry: index,
        kind: entry.kind,
        tokens: tokensOf(entry.blocks),
        id: entry.id,
        text: textKey(entry),
      });
      takePrompt(entry, index);
      for (const block of entry.blocks) {
        if (block.type === 'tool_call') tasks = tasksAfter(block.name, block.input, tasks) ?? tasks;
        if (block.type === 'tool_call' && tools.length < MAX_TOOLS) {
          const touched = filesOf(block.name, block.input);
          takeFiles(touched, index);
          const needles = touched.map(({ path }) => path);
          if (needles.length === 0 && block.label !== null) needles.push(block.label.slice(0, MAX_NEEDLE));
          const { name, label } = block;
          const tool = {
            entry: index,
            tool: name.slice(0, 200),
            label,
            isError: false,
            characters: 0,
            problem: null,
            needles,
          };
          tools.push(tool);
          if (block.callId !== null) byCall.set(block.callId, tool);
        } else if (block.type === 'tool_result') {
          const tool = block.callId === null ? undefined : byCall.get(block.callId);
          if (tool === undefined) continue;
          tool.isError = block.isError;
          tasks = tasksNamed(tool.tool, textIn(block.content), tasks) ?? tasks;
          if (block.isError) tool.problem = problemIn(block.content);
          for (const part of block.content) {
            if (part.type !== 'rest' && part.type !== 'image') tool.characters += part.text.length;
          }
        }
      }
    },
  };
}

/** Beyond this length the rest of a text is estimated by its start. */
const ESTIMATED_TEXT = 4_000;

function tokensOf(blocks: readonly Block[]): number {
  return blocks.reduce((sum, block) => {
    if (block.type === 'tool_result') return sum + tokensOf(block.content);
    if (!('text' in block)) return sum;
    const { length } = block.text;
    const start = block.text.slice(0, ESTIMATED_TEXT);
    const tokens = estimateTokens(start) * (length / Math.max(1, start.length));
    return sum + Math.round(tokens);
  }, 0);
}

const textIn = (content: readonly Block[]) =>
  content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');

/** The first line of an error that is not the exit code. */
function problemIn(content: readonly Block[]): string | null {
  const text = textIn(content);
  if (/^The user doesn't want to proceed/.test(text)) return 'the user refused it';
  const lines = text
    .slice(0, SHORT_TEXT)
    .replace(/<\/?tool_use_error>/g, '')
    .split('\n');
  return cleanText(
    lines.find((line) => line.trim() !== '' && !/^(Error: )?Exit code \d+$/.test(line)),
    MAX_PROBLEM,
  );
}

function textKey({ kind, blocks }: ReadEntry): number | null {
  if (kind !== 'user' && kind !== 'assistant') return null;
  const text = blocks.map((block) => (block.type === 'text' ? block.text : '')).filter((part) => part !== '');
  return text.length === 0 ? null : keyOfText(text.join('\n\n'));
}

/** FNV-1a of the text, combined with the text's length to avoid collisions. */
function keyOfText(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0) * 1024 + (text.length % 1024);
}
