/** Reads the viewer entry of a Codex line. Most events repeat response items, so their kind is `record`. */
import { type Block, bareEntry, kindOf, type ReadEntry } from '../entry';
import { asCount, asFields, asList, asSeconds, asText, type Fields, toJson } from '../fields';
import { readContent, readResult } from '../message-parts';
import { labelOf } from '../tool-calls';
import { isClientText, isSummary, readBoundary, readReport, textsOf } from './line';

export function readEntry(line: Fields): ReadEntry {
  const payload = asFields(line.payload) ?? {};
  const entry = bareEntry('record', nameOf(line, payload));
  entry.at = asSeconds(line.timestamp);
  switch (line.type) {
    case 'response_item':
      readItem(entry, payload);
      if (isSummary(line)) entry.isMeta = true;
      break;
    case 'compacted':
      entry.kind = 'compaction';
      entry.boundary = readBoundary(line);
      if (entry.boundary?.summary) entry.blocks = [{ type: 'text', text: entry.boundary.summary }];
      break;
    case 'event_msg':
      readEvent(entry, payload);
      break;
  }
  readUsage(entry, line);
  return entry;
}

function nameOf(line: Fields, payload: Fields): string | null {
  const type = asText(line.type);
  const sub = asText(payload.type);
  if (type === null) return null;
  return (sub === null ? type : `${type}/${sub}`).slice(0, 100);
}

function readItem(entry: ReadEntry, item: Fields): void {
  entry.id = asText(item.id);
  switch (item.type) {
    case 'message':
      entry.blocks = readContent(item.content);
      if (item.role === 'assistant') entry.kind = kindOf('assistant', entry.blocks);
      else entry.kind = item.role === 'user' ? 'user' : 'system';
      entry.isMeta = entry.kind === 'system' || entry.blocks.slice(0, 1).some(isClientBlock);
      return;
    case 'reasoning':
      entry.kind = 'thinking';
      entry.blocks = [
        { type: 'thinking', text: textsOf([...asList(item.summary), ...asList(item.content)]) },
      ];
      return;
    case 'function_call':
    case 'custom_tool_call':
    case 'local_shell_call':
    case 'web_search_call':
    case 'tool_search_call':
      entry.kind = 'tool_call';
      entry.blocks = [readToolCall(item)];
      return;
    case 'function_call_output':
    case 'custom_tool_call_output':
    case 'local_shell_call_output':
    case 'tool_search_output': {
      entry.kind = 'tool_result';
      const output = asFields(item.output);
      const content = readResult(output?.content ?? output?.content_items ?? item.output);
      const isError = output?.success === false;
      entry.blocks = [{ type: 'tool_result', callId: asText(item.call_id), isError, content }];
    }
  }
}

const isClientBlock = (block: Block) => block.type === 'text' && isClientText(block.text);

function readToolCall(item: Fields): Block {
  const name = asText(item.name) ?? String(item.type).replace(/_call$/, '');
  const input = parseArguments(item.arguments ?? item.input ?? item.action ?? {});
  return {
    type: 'tool_call',
    callId: asText(item.call_id) ?? asText(item.id),
    name,
    label: labelOf((name === 'exec' && commandOf(input)) || input),
    text: typeof input === 'string' ? input : toJson(input),
    isJson: typeof input !== 'string',
    input,
  };
}

/** The first command of a script that calls tools, as Codex writes them since version 0.144. */
const commandOf = (script: unknown): unknown =>
  asList(parseArguments(`[${/\bcmd"?: ?("(?:[^"\\]|\\.)*")/.exec(String(script))?.[1]}]`))[0];

/** Parses arguments, which are JSON in a string. A free-form tool has plain text. */
function parseArguments(given: unknown): unknown {
  if (typeof given !== 'string' || !/^\s*[{[]/.test(given)) return given;
  try {
    return JSON.parse(given);
  } catch {
    return given;
  }
}

/** Reads the usage of one response, or an event with the totals and the last call's usage. */
function readUsage(entry: ReadEntry, line: Fields): void {
  const report = readReport(line);
  if (report === null) return;
  entry.window = report.window ?? entry.window;
  entry.call = report.call;
  if (report.call === null) entry.keptTokens = report.contextTokens;
}

function readEvent(entry: ReadEntry, payload: Fields): void {
  entry.window = asCount(payload.model_context_window);
  const message = asText(payload.message);
  if ((payload.type === 'error' || payload.type === 'warning') && message) {
    entry.kind = 'system';
    entry.blocks = [{ type: 'text', text: message }];
  }
}
