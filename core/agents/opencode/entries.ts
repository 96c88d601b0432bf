/** Reads a row of OpenCode into an entry of the viewer. */
import { type Block, bareEntry, type CallCounts, kindOf, type ReadEntry } from '../entry';
import { asFields, asText, type Fields, toJson } from '../fields';
import { labelOf } from '../tool-calls';
import { isSummary, readUsage } from './items';
import { readRow } from './rows';

export function readEntry(line: Fields): ReadEntry {
  const row = readRow(line);
  if (row === null) return bareEntry('record', 'session');
  const { message } = row;
  const parts = row.parts.map(({ part }) => part);
  const blocks = parts.flatMap(readPart);
  const time = asFields(message.time) ?? {};
  const at = time.completed ?? time.created;
  const entry = bareEntry('record', asText(message.role));
  entry.at = typeof at === 'number' ? at / 1_000 : null;
  entry.id = asText(row.id);
  entry.blocks = blocks;
  entry.isMeta = parts.some(({ synthetic }) => synthetic === true);
  if (message.role === 'user' && blocks.length > 0) entry.kind = 'user';
  if (message.role !== 'assistant') return entry;
  const texts = blocks.flatMap((block) => (block.type === 'text' ? block.text : []));
  entry.kind = isSummary(message) ? 'compaction' : kindOf('assistant', blocks);
  if (isSummary(message)) entry.boundary = boundaryOf(entry, texts.join('\n\n'), row.auto);
  const usage = readUsage(asFields(message.tokens) ?? {});
  if (usage === null) return entry;
  const counts: CallCounts = { ...usage.usage, contextTokens: usage.contextTokens };
  const isSide = message.summary === true;
  entry.call = { id: entry.id ?? '', model: asText(message.modelID), counts, isSide, source: 'line' };
  return entry;
}

/** @param auto whether the client requested the summary itself, as SQLite's 0 or 1 */
function boundaryOf({ id, at }: ReadEntry, summary: string, auto: unknown): ReadEntry['boundary'] {
  const trigger = auto === 1 ? 'auto' : auto === 0 ? 'manual' : null;
  const unknown = { trigger, preTokens: null, postTokens: null, durationMs: null } as const;
  const kept = { keptIds: [], keptTexts: [] };
  return { id, at: at === null ? null : at * 1_000, ...unknown, ...kept, summary: summary || null };
}

function readPart(part: Fields): Block[] {
  const text = asText(part.text) ?? '';
  if (part.type === 'text') return [{ type: 'text', text }];
  if (part.type === 'reasoning') return [{ type: 'thinking', text }];
  if (part.type === 'file') return [{ type: 'other', name: 'file', text: toJson(part.filename ?? part.url) }];
  return part.type === 'tool' ? readTool(part) : [];
}

/** A tool call, and its result if the tool has ended. */
function readTool(part: Fields): Block[] {
  const callId = asText(part.callID);
  const { status, input, output, error } = asFields(part.state) ?? {};
  const name = asText(part.tool) ?? 'tool';
  const label = labelOf(input);
  const made = { name, label, text: toJson(input ?? {}), isJson: true, input };
  const isError = status === 'error';
  const call: Block = { type: 'tool_call', callId, ...made };
  if (!isError && status !== 'completed') return [call];
  const text = asText(isError ? error : output) ?? '';
  return [call, { type: 'tool_result', callId, isError, content: [{ type: 'text', text }] }];
}
