/**
 * Reads the stream of one query of the Claude Agent SDK. Holds back the last call of the main loop until the call's
 * tools have run, because a restart before the next call loses the least work. The complete messages of a call state
 * only a placeholder for the call's output. The partial messages and the result state the real output.
 */
import { isZeroUsage, readIterations } from '../../../core/agents/claude-code/message-usage';
import { asCount, asFields, asList, type Fields, SYNTHETIC } from '../../../core/agents/fields';
import type { LensName } from '../../../core/protocol/items';
import { readClientBoundary } from '../usage/client-boundary';
import { readField, readPath, readText, statedOf } from '../usage/read-field';
import { createEventJoiner, readWindow } from '../usage/read-origin';
import { readUsage } from '../usage/read-usage';
import { isPromptTooLongMessage } from './prompt-too-long';
import { readAgentMessage } from './read-agent-message';
import type { AgentCall, MessageFacts, MessageReader } from './restart-types';

/** @param hidesEvents whether to hide partial messages, because the owner did not ask for them. */
export function createClaudeReader(lens: LensName, hidesEvents = false): MessageReader<unknown> {
  let call: (MessageFacts & { call: string }) | null = null;
  /** The last settled call of this turn. */
  let latest: MessageFacts = {};
  /** The call that each chain streams, and the calls of sub-agents. */
  const streamed = new Map<string | undefined, string>();
  const subCalls = new Map<string, AgentCall>();
  /** Output that the settled calls of this turn stated, tokens; null: no call had a usage. */
  let output: number | null = null;

  const settle = (): MessageFacts => {
    const settled = call;
    call = null;
    if (settled) {
      output = (output ?? 0) + outputOf(settled.usage);
      latest = settled;
    }
    // The agent makes its next call after the tools of this one.
    return settled ? { ...settled, goesOn: true } : {};
  };
  const readEvent = (event: unknown, chain: string | undefined): MessageFacts => {
    const hidden = statedOf({ isHidden: hidesEvents || null });
    const started = readText(readField(event, 'message'), 'id');
    if (started !== undefined) streamed.set(chain, started);
    if (readText(event, 'type') !== 'message_delta') return hidden;
    const id = streamed.get(chain) ?? '';
    const stated = asFields(readField(event, 'usage'));
    const sub = subCalls.get(id);
    if (sub !== undefined) {
      subCalls.delete(id);
      return { ...hidden, calls: [complete(sub, stated)] };
    }
    if (call?.call === id) call = complete(call, stated);
    return hidden;
  };
  const readCall = (message: unknown, chain: string | undefined): MessageFacts => {
    const inner = readField(message, 'message');
    const id = readText(inner, 'id');
    const request = readText(message, 'request_id');
    const model = readText(inner, 'model');
    const usage = readField(inner, 'usage') ?? null;
    const reading = readingOf(usage);
    // Messages that the client itself creates use no tokens.
    if (id === undefined || reading === null || model === SYNTHETIC) return {};
    if (chain !== undefined) {
      const sub = { call: id, request, model, usage, chain, ...reading };
      subCalls.set(id, sub);
      return { calls: [sub] };
    }
    // One message per content block, all with the same usage.
    const earlier = call?.call === id ? {} : settle();
    call = { call: id, request, model, usage, ...reading };
    return earlier;
  };
  const readResult = (message: unknown): MessageFacts => {
    const known = { isResult: true, limit: readWindow(message) };
    const usage = readField(message, 'usage') ?? null;
    if (lens === 'cumulative') return isZeroUsage(usage) ? known : { ...known, usage };
    const last = settle();
    const isMissing = usage === null && output === null;
    // Calls state a placeholder as their output. The result states the sum, so the last call gets the remainder.
    const rest = outputOf(usage) - (output ?? 0) + outputOf(latest.usage);
    const isRest = latest.call !== undefined && rest > outputOf(latest.usage);
    const corrected = isRest ? { ...latest, usage: { ...asFields(latest.usage), output_tokens: rest } } : {};
    output = null;
    latest = {};
    // The turn is over, so a full context needs no restart now.
    return { ...last, ...corrected, ...(isMissing ? { usage } : {}), ...known, goesOn: false };
  };
  const readFacts = (message: unknown): MessageFacts => {
    const type = readText(message, 'type');
    if (type === 'result') return readResult(message);
    const boundary = readClientBoundary(message);
    if (boundary !== null) return { ...settle(), boundary };
    if (type === 'system' && readText(message, 'subtype') === 'init') {
      return { model: readText(message, 'model') };
    }
    const chain = readText(message, 'parent_tool_use_id');
    if (type === 'stream_event') return readEvent(readField(message, 'event'), chain);
    if (lens === 'cumulative') return {};
    if (type === 'assistant') return readCall(message, chain);
    return type === 'user' && chain === undefined ? settle() : {};
  };
  const read: MessageReader<unknown> = (message) => ({
    ...readFacts(message),
    ...statedOf({
      sessionId: readText(message, 'session_id'),
      isTooLong: (isMain(message) && isPromptTooLongMessage(message)) || null,
    }),
  });
  return Object.assign(read, { rest: settle });
}

/** Whether a message belongs to the main loop, not to a sub-agent. */
export const isMain = (message: unknown): boolean => readText(message, 'parent_tool_use_id') === undefined;

const outputOf = (usage: unknown): number => asCount(readField(usage, 'output_tokens')) ?? 0;

/** A call with what its last event states: the whole output, and the counts of several samplings. */
function complete<Call extends { usage?: unknown }>(call: Call, stated: Fields | null): Call {
  const isOfSeveral = asList(stated?.iterations).length > 0;
  const news = isOfSeveral ? statedOf(stated ?? {}) : {};
  const usage = { ...asFields(call.usage), ...news, output_tokens: outputOf(stated) };
  return { ...call, usage, ...(isOfSeveral ? readingOf(usage) : {}) };
}

/** The context's size from the input, because the stream has only a placeholder for the output. Null: no usage. */
function readingOf(stated: unknown): Pick<MessageFacts, 'contextTokens' | 'basis'> | null {
  try {
    const samplings = readIterations(asFields(stated) ?? {}).messages;
    const usage = samplings.length > 1 ? samplings.at(-1) : stated;
    const counts = readUsage({ usage }, { vendor: 'anthropic' });
    if (counts === null || counts.contextTokens === null) return null;
    const parts = [counts.inputTokens, counts.cacheReadTokens, counts.cacheCreationTokens];
    return { contextTokens: parts.reduce((sum, part) => sum + Math.max(0, part), 0), basis: 'input' };
  } catch {
    // The processor refuses this usage with a reason.
    return {};
  }
}

/**
 * The default reader. It reads a stream call by call if the messages have the usage of single calls, as those of the
 * Claude Agent SDK do.
 */
export function createDefaultReader(lens: LensName | undefined): MessageReader<unknown> {
  const readClaude = lens === 'cumulative' ? null : createClaudeReader('snapshot');
  const join = createEventJoiner();
  let isOfCalls = false;
  const read: MessageReader<unknown> = (original) => {
    const message = join(original);
    isOfCalls ||=
      readText(message, 'type') === 'assistant' &&
      readText(readField(message, 'message'), 'id') !== undefined &&
      (readPath(message, 'message.usage') ?? null) !== null;
    if (readClaude === null || !isOfCalls) return readAgentMessage(message);
    const facts = readClaude(message);
    // The stream may have further prompts after a result.
    return facts.goesOn === false ? { ...facts, goesOn: undefined } : facts;
  };
  return Object.assign(read, { rest: () => readClaude?.rest?.() ?? {} });
}
