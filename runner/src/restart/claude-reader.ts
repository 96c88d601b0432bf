/**
 * Reads the stream of one query of the Claude Agent SDK. Holds the last call of the main loop until the agent
 * goes on from it, because that is where a restart loses least: its tools have run, and the next call has not
 * been made. What sub-agents spend is theirs: their contexts are others.
 */
import type { LensName } from '../../../core/protocol/items';
import { readField, readText } from '../usage/read-field';
import { readUsage } from '../usage/read-usage';
import type { ClientBoundary, MessageFacts, MessageReader } from './agent';

export function createClaudeReader(lens: LensName): MessageReader<unknown> {
  let call: (MessageFacts & { call: string }) | null = null;
  /** Whether a call of this turn stated its usage. */
  let sawCall = false;

  const settle = (): MessageFacts => {
    const settled = call;
    call = null;
    return settled ?? {};
  };
  const readCall = (message: unknown): MessageFacts => {
    const inner = readField(message, 'message');
    const id = readText(inner, 'id');
    const model = readText(inner, 'model');
    const usage = readField(inner, 'usage') ?? null;
    const reading = readingOf(usage);
    // What the client writes itself has spent nothing.
    if (id === undefined || reading === null || model === '<synthetic>') return {};
    // One line for each block of its content, all with the same usage.
    const earlier = call?.call === id ? {} : settle();
    sawCall = true;
    call = { call: id, model, usage, ...reading };
    return earlier;
  };
  const readResult = (message: unknown): MessageFacts => {
    const known = { isResult: true, limit: windowOf(message) };
    const stated = readField(message, 'usage') ?? null;
    if (lens === 'cumulative') return { ...known, usage: stated };
    const isMissing = stated === null && !sawCall;
    sawCall = false;
    // The turn is over: a full context needs no restart before there is another one.
    return { ...settle(), ...(isMissing ? { usage: null } : {}), ...known, goesOn: false };
  };

  return (message) => {
    const sessionId = readText(message, 'session_id');
    return { ...read(), ...(sessionId === undefined ? {} : { sessionId }) };

    function read(): MessageFacts {
      const type = readText(message, 'type');
      if (type === 'result') return readResult(message);
      const boundary = boundaryOf(message);
      if (boundary !== null) return { ...settle(), boundary };
      if (type === 'system' && readText(message, 'subtype') === 'init') {
        return { model: readText(message, 'model') };
      }
      const isMain = (readField(message, 'parent_tool_use_id') ?? null) === null;
      if (lens === 'cumulative' || !isMain) return {};
      if (type === 'assistant') return readCall(message);
      return type === 'user' ? settle() : {};
    }
  };
}

/** Its output is a placeholder in the stream, so the size is that of the input side. Null: nothing was spent. */
function readingOf(usage: unknown): Pick<MessageFacts, 'contextTokens' | 'basis'> | null {
  try {
    const counts = readUsage({ usage }, { vendor: 'anthropic' });
    if (counts === null || counts.contextTokens === null) return null;
    const parts = [counts.inputTokens, counts.cacheReadTokens, counts.cacheCreationTokens];
    return { contextTokens: parts.reduce((sum, part) => sum + Math.max(0, part), 0), basis: 'input' };
  } catch {
    // Who counts the usage refuses it, and says so.
    return {};
  }
}

function boundaryOf(message: unknown): ClientBoundary | null {
  if (readText(message, 'type') === 'conversation_reset') return { kind: 'clear' };
  if (readText(message, 'subtype') !== 'compact_boundary') return null;
  const metadata = readField(message, 'compact_metadata');
  return {
    kind: 'compaction',
    trigger: readText(metadata, 'trigger') === 'manual' ? 'manual' : 'auto',
    preTokens: sizeOf(metadata, 'pre_tokens'),
    postTokens: sizeOf(metadata, 'post_tokens'),
    durationMs: sizeOf(metadata, 'duration_ms'),
    id: readText(message, 'uuid'),
  };
}

/** The window of the main model: of the only one, or of the one that worked most. Tokens. */
function windowOf(result: unknown): number | undefined {
  const models = Object.values(readField(result, 'modelUsage') ?? {});
  const output = (model: unknown) => sizeOf(model, 'outputTokens') ?? 0;
  models.sort((a, b) => output(b) - output(a));
  return sizeOf(models[0], 'contextWindow');
}

function sizeOf(from: unknown, field: string): number | undefined {
  const value = readField(from, field);
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
