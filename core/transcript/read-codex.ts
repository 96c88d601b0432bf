/** One value of a Codex rollout. Events echo what the response items say, so they are records. */
import { type Block, type Boundary, bareEntry, type CallCounts, kindOf, type ReadEntry } from './entry';
import { asCount, asFields, asList, asSeconds, asText, type Fields, toJson } from './json-values';
import { readContent, readResult } from './read-blocks';
import { labelOf } from './tool-label';

export function readCodex(line: Fields): ReadEntry {
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
      entry.boundary = readBoundary(payload);
      if (entry.boundary.summary) entry.blocks = [{ type: 'text', text: entry.boundary.summary }];
      break;
    case 'token_usage_record':
      entry.call = readCall(asText(payload.response_id), asFields(payload.usage));
      break;
    case 'event_msg':
      readEvent(entry, payload);
      break;
  }
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

/** What the client puts before the first prompt: tagged, or a heading of its own. */
function isClientText(block: Block | undefined): boolean {
  return block?.type === 'text' && /^(<[a-z_]+>|# AGENTS\.md instructions)/.test(block.text);
}

function textsOf(parts: readonly unknown[]): string {
  return parts
    .map((part) => asText(asFields(part)?.text) ?? '')
    .filter((text) => text !== '')
    .join('\n\n');
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

/** Arguments come as JSON in a string; a free-form tool takes its text as it is. */
function parseArguments(given: unknown): unknown {
  if (typeof given !== 'string' || !/^\s*[{[]/.test(given)) return given;
  try {
    return JSON.parse(given);
  } catch {
    return given;
  }
}

function readBoundary(payload: Fields): Boundary {
  const summary = asText(payload.message);
  return {
    trigger: null,
    preTokens: null,
    postTokens: null,
    durationMs: null,
    keptIds: [],
    keptTexts: asList(payload.replacement_history)
      .map((item) => textsOf(asList(asFields(item)?.content)))
      .filter((text) => text !== '' && text !== summary),
    summary: summary === '' ? null : summary,
  };
}

function readCall(id: string | null, usage: Fields | null): ReadEntry['call'] {
  if (usage === null) return null;
  return { id: id ?? '', model: null, counts: countsOf(usage), isSide: false, isReport: true };
}

/** What went in includes what came from the cache; the accounting keeps them apart. */
function countsOf(usage: Fields): CallCounts {
  const prompt = asCount(usage.input_tokens) ?? 0;
  const cacheRead = asCount(usage.cached_input_tokens) ?? 0;
  const cacheCreation = asCount(usage.cache_write_input_tokens) ?? 0;
  const output = asCount(usage.output_tokens) ?? 0;
  return {
    input: Math.max(0, prompt - cacheRead - cacheCreation),
    output,
    cacheRead,
    cacheCreation,
    contextTokens: asCount(usage.total_tokens) ?? prompt + output,
  };
}

function readEvent(entry: ReadEntry, payload: Fields): void {
  entry.window = asCount(payload.model_context_window);
  const message = asText(payload.message);
  if ((payload.type === 'error' || payload.type === 'warning') && message) {
    entry.kind = 'system';
    entry.blocks = [{ type: 'text', text: message }];
  }
  const info = asFields(payload.info);
  if (payload.type !== 'token_count' || info === null) return;
  entry.window = asCount(info.model_context_window);
  // The totals name the call: an event that repeats them reports nothing new.
  entry.call = readCall(
    JSON.stringify(info.total_token_usage ?? null).slice(0, 500),
    asFields(info.last_token_usage),
  );
}
