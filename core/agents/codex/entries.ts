/** Reads the viewer entry of a Codex line. Most events repeat response items, so their kind is `record`. */
import { type Block, type Boundary, bareEntry, kindOf, type ReadEntry } from '../entry';
import {
  asCount,
  asFields,
  asList,
  asSeconds,
  asText,
  asTime,
  cleanText,
  type Fields,
  toJson,
} from '../fields';
import { readContent, readResult } from '../message-parts';
import { labelOf } from '../tool-calls';

export function readEntry(line: Fields): ReadEntry {
  const payload = asFields(line.payload) ?? {};
  const entry = bareEntry('record', nameOf(line, payload));
  entry.at = asSeconds(line.timestamp);
  switch (line.type) {
    case 'response_item':
      readItem(entry, payload);
      if (asFields(line.metadata)?.compaction_output === true) entry.isMeta = true;
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
  readCall(entry, line, payload);
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
      entry.isMeta = entry.kind === 'system' || isClientText(entry.blocks[0]);
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

/** Whether the client wrote the text. Such a text starts with a tag or with the heading of AGENTS.md. */
function isClientText(block: Block | undefined): boolean {
  return block?.type === 'text' && /^(<[a-z_]+>|# AGENTS\.md instructions)/.test(block.text);
}

function readToolCall(item: Fields): Block {
  const type = String(item.type);
  const name = asText(item.name) ?? type.replace(/_call$/, '');
  const given = item.arguments ?? item.input ?? item.action ?? {};
  const input = parseArguments(given);
  const isJson = typeof input !== 'string';
  return {
    type: 'tool_call',
    callId: asText(item.call_id) ?? asText(item.id),
    name,
    label: labelOf(input),
    text: isJson ? toJson(input) : input,
    isJson,
    input,
  };
}

/** Parses arguments, which are JSON in a string. A free-form tool has plain text. */
function parseArguments(given: unknown): unknown {
  if (typeof given !== 'string' || !/^\s*[{[]/.test(given)) return given;
  try {
    return JSON.parse(given);
  } catch {
    return given;
  }
}

export function readBoundary(line: Fields): Boundary | null {
  const payload = asFields(line.payload);
  if (line.type !== 'compacted' || payload === null) return null;
  const summary = asText(payload.message) || null;
  return {
    id: cleanText(payload.window_id),
    at: asTime(line.timestamp),
    trigger: null,
    preTokens: null,
    postTokens: null,
    durationMs: null,
    keptIds: [],
    keptTexts: asList(payload.replacement_history)
      .map((item) => textsOf(asList(asFields(item)?.content)))
      .filter((text) => text !== '' && text !== summary),
    summary,
  };
}

/** Reads the usage of one response, or an event with the totals and the last call's usage. */
function readCall(entry: ReadEntry, line: Fields, payload: Fields): void {
  const isResponse = line.type === 'token_usage_record';
  const info = line.type === 'event_msg' && payload.type === 'token_count' ? asFields(payload.info) : null;
  const usage = asFields(isResponse ? payload.usage : info?.last_token_usage);
  if (usage === null) return;
  const prompt = asCount(usage.input_tokens) ?? 0;
  const cacheRead = asCount(usage.cached_input_tokens) ?? 0;
  const cacheCreation = asCount(usage.cache_write_input_tokens) ?? 0;
  const output = asCount(usage.output_tokens) ?? 0;
  // The prompt includes its cached part.
  const input = Math.max(0, prompt - cacheRead - cacheCreation);
  const contextTokens = asCount(usage.total_tokens) ?? prompt + output;
  entry.window = asCount(info?.model_context_window) ?? entry.window;
  if (input + output + cacheRead === 0) {
    // After a compaction all counts are 0, and `total_tokens` estimates the kept context.
    entry.keptTokens = contextTokens;
    return;
  }
  // An event with the same totals reports nothing new.
  const totals = JSON.stringify(info?.total_token_usage ?? null).slice(0, 500);
  entry.call = {
    id: isResponse ? (asText(payload.response_id) ?? '') : totals,
    model: null,
    counts: { input, output, cacheRead, cacheCreation, contextTokens },
    isSide: false,
    source: isResponse ? 'response' : 'totals',
  };
}

function readEvent(entry: ReadEntry, payload: Fields): void {
  entry.window = asCount(payload.model_context_window);
  const message = asText(payload.message);
  if ((payload.type === 'error' || payload.type === 'warning') && message) {
    entry.kind = 'system';
    entry.blocks = [{ type: 'text', text: message }];
  }
}

function textsOf(parts: readonly unknown[]): string {
  return parts
    .map((part) => asText(asFields(part)?.text) ?? '')
    .filter((text) => text !== '')
    .join('\n\n');
}
