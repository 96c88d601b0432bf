import { bareEntry, type EntryCall, kindOf, type ReadEntry } from '../entry';
import { asFields, asList, asSeconds, asText, type Fields } from '../fields';
import { createPartsBudget, readContent } from '../message-parts';
import { readBoundary } from './boundary';
import { contextTokensOf, isSideChain, readCall, readWindow } from './line';

export function readEntry(line: Fields): ReadEntry {
  const entry = bareEntry('record', nameOf(line));
  entry.at = asSeconds(line.timestamp);
  entry.id = asText(line.uuid);
  entry.isMeta = line.isMeta === true;
  if (line.isSidechain === true) entry.chain = asText(line.agentId) ?? 'sidechain';
  entry.window = readWindow(line)?.tokens ?? null;
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
  if (role === 'assistant') entry.call = callOf(line, entry.chain);
  const agent = asText(asFields(line.toolUseResult)?.agentId);
  if (agent !== null && entry.chain === null) entry.startedBy = agent;
}

function callOf(line: Fields, chain: string | null): EntryCall | null {
  const call = readCall(line);
  if (call === null || typeof call === 'string') return null;
  const { id, model, usage } = call;
  const counts = {
    input: Math.max(0, usage.input),
    output: Math.max(0, usage.output),
    cacheRead: Math.max(0, usage.cacheRead),
    cacheCreation: Math.max(0, usage.cacheCreation),
    contextTokens: contextTokensOf(usage),
  };
  return { id, model, counts, isSide: isSideChain(chain), source: 'line' };
}

function readSystem(entry: ReadEntry, line: Fields): void {
  const content = asText(line.content);
  entry.boundary = readBoundary(line);
  if (entry.boundary !== null) entry.kind = 'compaction';
  else if (content) entry.kind = 'system';
  if (content) entry.blocks = [{ type: 'text', text: content }];
}

/** Text that the client added for the model, or a prompt that the person typed while the model worked. */
function readAttachment(entry: ReadEntry, line: Fields): void {
  const attachment = asFields(line.attachment);
  if (attachment?.type === 'queued_command' && attachment.commandMode === 'prompt') {
    entry.kind = 'user';
    entry.blocks = readContent(attachment.prompt);
    return;
  }
  const budget = createPartsBudget();
  const blocks = asList(line.rendered).flatMap((part) => readContent(asFields(part)?.content, budget));
  if (blocks.length === 0) return;
  entry.kind = 'system';
  entry.isMeta = true;
  entry.blocks = blocks;
}

/** A sub-agent's message in the main file, which is the only copy if the sub-agent's own file was not archived. */
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
  if (inner.type === 'assistant') entry.call = callOf(inner, entry.chain);
}
