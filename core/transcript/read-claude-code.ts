/** One value of a Claude Code transcript. Kinds of lines nobody knows are records. */
import { type Boundary, bareEntry, type CallCounts, kindOf, type ReadEntry } from './entry';
import { asCount, asFields, asList, asSeconds, asText, type Fields } from './json-values';
import { createPartsBudget, readContent } from './read-blocks';

export function readClaudeCode(line: Fields): ReadEntry {
  const entry = bareEntry('record', nameOf(line));
  entry.at = asSeconds(line.timestamp);
  entry.id = asText(line.uuid);
  entry.isMeta = line.isMeta === true;
  if (line.isSidechain === true) entry.chain = asText(line.agentId) ?? 'sidechain';
  entry.window = asCount(asFields(line.contextUsage)?.raw_max_tokens);
  switch (line.type) {
    case 'user':
    case 'assistant':
      readMessage(entry, line, line.type);
      break;
    case 'system':
      readSystem(entry, line);
      break;
    case 'attachment':
      readAttachment(entry, line);
      break;
    case 'progress':
      readEcho(entry, line);
      break;
  }
  return entry;
}

function nameOf(line: Fields): string | null {
  const type = asText(line.type);
  if (type === null) return null;
  const sub =
    asText(line.subtype) ?? asText(asFields(line.data)?.type) ?? asText(asFields(line.attachment)?.type);
  return (sub === null ? type : `${type}/${sub}`).slice(0, 100);
}

function readMessage(entry: ReadEntry, line: Fields, role: 'user' | 'assistant'): void {
  const message = asFields(line.message);
  if (message === null) return;
  entry.blocks = readContent(message.content);
  entry.kind = line.isCompactSummary === true ? 'summary' : kindOf(role, entry.blocks);
  if (role === 'assistant') entry.call = readCall(message, line, entry.chain);
  const agent = asText(asFields(line.toolUseResult)?.agentId);
  // The result of a sub-agent's call names the agent.
  if (agent !== null && entry.chain === null) entry.startedBy = agent;
}

function readCall(message: Fields, line: Fields, chain: string | null): ReadEntry['call'] {
  const usage = asFields(message.usage);
  const id = asText(message.id) ?? asText(line.requestId) ?? asText(line.uuid);
  const model = asText(message.model);
  // The client's own messages are none of the model's.
  if (usage === null || id === null || model === '<synthetic>') return null;
  const counts = countsOf(usage);
  const inner = asList(usage.iterations)
    .map(asFields)
    .filter((part) => part?.type === 'message');
  // A tool loop on the provider's side reads its context again and again: only its last reading tells the size.
  const last = inner.length > 1 ? inner.at(-1) : null;
  if (last) counts.contextTokens = countsOf(last).contextTokens;
  const isSide = chain !== null && /^a(compact|prompt_suggestion|side_question)-/.test(chain);
  return { id, model: model?.slice(0, 200) ?? null, counts, isSide, isReport: false };
}

function countsOf(usage: Fields): CallCounts {
  const input = asCount(usage.input_tokens) ?? 0;
  const output = asCount(usage.output_tokens) ?? 0;
  const cacheRead = asCount(usage.cache_read_input_tokens) ?? 0;
  const cacheCreation = asCount(usage.cache_creation_input_tokens) ?? 0;
  return {
    input,
    output,
    cacheRead,
    cacheCreation,
    contextTokens: input + output + cacheRead + cacheCreation,
  };
}

function readSystem(entry: ReadEntry, line: Fields): void {
  const content = asText(line.content);
  if (line.subtype === 'compact_boundary') {
    entry.kind = 'compaction';
    entry.boundary = readBoundary(asFields(line.compactMetadata) ?? {});
  } else if (content !== null && content !== '') entry.kind = 'system';
  if (content) entry.blocks = [{ type: 'text', text: content }];
}

function readBoundary(metadata: Fields): Boundary {
  const kept = asFields(metadata.preservedMessages);
  const ids = [...asList(kept?.uuids), ...asList(kept?.allUuids)];
  return {
    trigger: metadata.trigger === 'manual' || metadata.trigger === 'auto' ? metadata.trigger : null,
    preTokens: asCount(metadata.preTokens),
    postTokens: asCount(metadata.postTokens),
    durationMs: asCount(metadata.durationMs),
    keptIds: [...new Set(ids.filter((id) => typeof id === 'string'))],
    keptTexts: [],
    summary: null,
  };
}

/** What the client put in front of the model, in the words the model saw. */
function readAttachment(entry: ReadEntry, line: Fields): void {
  const budget = createPartsBudget();
  const blocks = asList(line.rendered).flatMap((part) => readContent(asFields(part)?.content, budget));
  if (blocks.length === 0) return;
  entry.kind = 'system';
  entry.isMeta = true;
  entry.blocks = blocks;
}

/** A sub-agent's message, echoed in the main file: the only copy where its own file was not archived. */
function readEcho(entry: ReadEntry, line: Fields): void {
  const data = asFields(line.data);
  const inner = asFields(data?.message);
  const message = asFields(inner?.message);
  if (data?.type !== 'agent_progress' || inner === null || message === null) return;
  if (inner.type !== 'user' && inner.type !== 'assistant') return;
  entry.blocks = readContent(message.content);
  entry.kind = kindOf(inner.type, entry.blocks);
  entry.chain = asText(data.agentId) ?? 'sub-agent';
  entry.startedBy = asText(line.parentToolUseID);
  if (inner.type === 'assistant') entry.call = readCall(message, inner, entry.chain);
}
