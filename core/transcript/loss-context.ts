/** The messages, tool calls and files of one context of the main chain, in a few words each. */
import type { EntryKind, ReadEntry } from '../agents/entry';
import { filesOf } from '../agents/tool-calls';
import type { TranscriptLost } from '../api/transcript-lost';

type Lost = NonNullable<TranscriptLost['lost']>;
export type LostFile = Lost['filesNamed'][number];
type LostTool = Lost['toolsNotNamed'][number];

interface Item {
  entry: number;
  kind: EntryKind;
  bytes: number;
  id: string | null;
  /** Key of its text; null: no text message. */
  text: number | null;
}

interface ContextTool extends LostTool {
  /** Names by which a summary may mention it. */
  needles: string[];
}

export type LossContext = ReturnType<typeof createLossContext>;

const COUNTED: ReadonlySet<EntryKind> = new Set([
  'user',
  'assistant',
  'thinking',
  'tool_call',
  'tool_result',
  'summary',
]);
const MAX_TOOLS = 20_000;
const MAX_FILES = 5_000;
const MAX_NEEDLE = 300;

export function createLossContext(from: number) {
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

  return {
    from,
    items,
    tools,
    files,
    take(entry: ReadEntry, index: number, bytes: number): void {
      if (!COUNTED.has(entry.kind)) return;
      items.push({ entry: index, kind: entry.kind, bytes, id: entry.id, text: textKey(entry) });
      for (const block of entry.blocks) {
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
            needles,
          };
          tools.push(tool);
          if (block.callId !== null) byCall.set(block.callId, tool);
        } else if (block.type === 'tool_result') {
          const tool = block.callId === null ? undefined : byCall.get(block.callId);
          if (tool === undefined) continue;
          tool.isError = block.isError;
          for (const part of block.content) {
            if (part.type === 'image') tool.characters += part.data.length;
            else if (part.type !== 'rest') tool.characters += part.text.length;
          }
        }
      }
    },
  };
}

function textKey({ kind, blocks }: ReadEntry): number | null {
  if (kind !== 'user' && kind !== 'assistant') return null;
  const text = blocks.map((block) => (block.type === 'text' ? block.text : '')).filter((part) => part !== '');
  return text.length === 0 ? null : keyOfText(text.join('\n\n'));
}

/** FNV-1a of the text, combined with its length against collisions. */
export function keyOfText(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0) * 1024 + (text.length % 1024);
}
