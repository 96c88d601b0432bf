/** Reads a record of Gemini CLI into an entry of the viewer. */
import { type Block, bareEntry, kindOf, type ReadEntry } from '../entry';
import { asFields, asList, asSeconds, asText, type Fields, toJson } from '../fields';
import { labelOf } from '../tool-calls';
import { isClientText, isMessage, readBoundary, readCounts, textOf } from './record';

export function readEntry(record: Fields): ReadEntry {
  if (isMessage(record)) return readMessage(record);
  const [name = 'session'] = Object.keys(record).filter((key) => key.startsWith('$'));
  const boundary = readBoundary(record);
  const entry = bareEntry(boundary === null ? 'record' : 'compaction', name);
  entry.boundary = boundary;
  entry.at = asSeconds(asFields(record.$set)?.lastUpdated ?? record.startTime);
  if (boundary?.summary) entry.blocks = [{ type: 'text', text: boundary.summary }];
  return entry;
}

function readMessage(message: Fields): ReadEntry {
  const text = textOf(message);
  const calls = asList(message.toolCalls).map(asFields);
  const blocks: Block[] = [
    ...asList(message.thoughts).map(readThought),
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ...calls.flatMap((call) => (call === null ? [] : readToolCall(call))),
  ];
  const entry = bareEntry('record', asText(message.type));
  entry.at = asSeconds(message.timestamp);
  entry.id = asText(message.id);
  if (message.type === 'gemini') {
    entry.kind = kindOf('assistant', blocks);
    // The client appends a message again after the message's tools have ended.
    entry.isRewrite = calls.length > 0;
    const counts = readCounts(message);
    const id = entry.id ?? '';
    if (counts) entry.call = { id, model: asText(message.model), counts, isSide: false, source: 'line' };
  } else if (message.type !== 'user') entry.kind = 'system';
  else if (text !== '') entry.kind = 'user';
  entry.isMeta = entry.kind === 'system' || isClientText(text);
  if (entry.kind !== 'record') entry.blocks = blocks;
  return entry;
}

function readThought(value: unknown): Block {
  const thought = asFields(value) ?? {};
  const texts = [asText(thought.subject), asText(thought.description)];
  return { type: 'thinking', text: texts.filter(Boolean).join('\n\n') };
}

/** Read a tool call, and its result if the tool has ended. */
function readToolCall(call: Fields): Block[] {
  const callId = asText(call.id);
  const name = asText(call.name) ?? 'tool';
  const input = call.args;
  const label = labelOf(input);
  const made: Block = {
    type: 'tool_call',
    callId,
    name,
    label,
    text: toJson(input ?? {}),
    isJson: true,
    input,
  };
  if (call.status === undefined) return [made];
  const results = asList(call.result).map((part) => {
    const response = asFields(asFields(asFields(part)?.functionResponse)?.response) ?? {};
    return asText(response.output) ?? asText(response.error) ?? toJson(response);
  });
  const content = [{ type: 'text' as const, text: results.join('\n\n') }];
  return [made, { type: 'tool_result', callId, isError: call.status === 'error', content }];
}
