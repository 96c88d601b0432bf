/** Agents of the restart loop for the SDKs of providers. The owner passes the client, so no SDK is imported. */
import { asFields, asList, asNonEmptyText, type Fields } from '../../../core/agents/fields';
import { readPath } from '../usage/read-field';
import { createModelAgent, type ModelAgentOptions, type ModelMessage, type ToolCall } from './model-agent';
import type { Agent } from './restart-types';

type Create = (body: Fields, options: { signal: AbortSignal }) => PromiseLike<unknown>;

/** Options of `createAnthropicAgent`. */
export interface AnthropicAgentOptions extends ModelAgentOptions {
  /** A client of `@anthropic-ai/sdk`, or a view of `trackAnthropic`. */
  client: {
    /** The resource with `create`. */
    readonly messages: {
      /** Makes a call to the Messages API. */
      create(...args: never[]): unknown;
    };
  };
  /** Fields of each request without `messages`: model, max_tokens, system, tools, cache_control … */
  request: object;
}

/** Makes a client of Anthropic's Messages API an agent of the restart loop. */
export function createAnthropicAgent({
  client,
  request,
  ...options
}: AnthropicAgentOptions): Agent<ModelMessage> {
  const create = client.messages.create.bind(client.messages) as unknown as Create;
  const agent = createModelAgent<object>(
    {
      user: (text) => ({ role: 'user', content: text }),
      results: (results) => {
        const content = results.map(({ call, text }) => ({
          type: 'tool_result',
          tool_use_id: call.id,
          content: text,
        }));
        return [{ role: 'user', content }];
      },
      async call(messages, signal) {
        const answer = await create({ ...request, messages }, { signal });
        const content = asList(readPath(answer, 'content'));
        const blocks = fieldsOf(content);
        const stopReason = asNonEmptyText(readPath(answer, 'stop_reason'));
        return {
          items: content.length > 0 ? [{ role: 'assistant', content }] : [],
          text: blocks.map(({ type, text }) => (type === 'text' ? String(text) : '')).join(''),
          toolCalls: blocks
            .filter(({ type }) => type === 'tool_use')
            .map(({ id, name, input }) => toolOf(id, name, input)),
          stopReason,
          ...(stopReason === 'pause_turn' ? { goesOn: true } : {}),
          ...factsOf(answer),
        };
      },
    },
    options,
  );
  return agent;
}

/** Options of `createOpenAIAgent`. */
export interface OpenAIAgentOptions extends ModelAgentOptions {
  /** A client of `openai`, or a view of `trackOpenAI`. */
  client: {
    /** Chat Completions. */
    readonly chat: {
      /** The resource with `create`. */
      readonly completions: {
        /** Makes a call to Chat Completions. */
        create(...args: never[]): unknown;
      };
    };
  };
  /** Fields of each request without `messages`: model, tools, max_completion_tokens … */
  request: object;
  /** The system message of each conversation. Default: none. */
  system?: string | undefined;
}

/** Makes a client of OpenAI's Chat Completions, or of a compatible server, an agent of the restart loop. */
export function createOpenAIAgent({
  client,
  request,
  system,
  ...options
}: OpenAIAgentOptions): Agent<ModelMessage> {
  const { completions } = client.chat;
  const create = completions.create.bind(completions) as unknown as Create;
  const first = system === undefined ? [] : [{ role: 'system', content: system }];
  return createModelAgent<object>(
    {
      user: (text) => ({ role: 'user', content: text }),
      results: (results) =>
        results.map(({ call, text }) => ({ role: 'tool', tool_call_id: call.id, content: text })),
      async call(messages, signal) {
        const answer = await create({ ...request, messages: [...first, ...messages] }, { signal });
        const message = asFields(readPath(answer, 'choices.0.message')) ?? {};
        return {
          items: [message],
          text: asNonEmptyText(message.content) ?? '',
          toolCalls: asList(message.tool_calls).map((tool) =>
            toolOf(
              readPath(tool, 'id'),
              readPath(tool, 'function.name'),
              parse(readPath(tool, 'function.arguments')),
            ),
          ),
          stopReason: asNonEmptyText(readPath(answer, 'choices.0.finish_reason')),
          ...factsOf(answer),
        };
      },
    },
    options,
  );
}

/** Options of `createAiSdkAgent`. */
export interface AiSdkAgentOptions extends Omit<ModelAgentOptions, 'runTool'> {
  /** The function of that name of `ai`. It runs the tools that have `execute`. */
  generateText(options: never): PromiseLike<unknown>;
  /** Options of each call without `messages`: model, system, tools … Without `stopWhen`, each call is one step. */
  request: object;
}

/** Makes the AI SDK (`ai`, versions 5 to 7) an agent of the restart loop. */
export function createAiSdkAgent({
  generateText,
  request,
  ...options
}: AiSdkAgentOptions): Agent<ModelMessage> {
  return createModelAgent<object>(
    {
      user: (text) => ({ role: 'user', content: text }),
      results: () => [],
      async call(messages, abortSignal) {
        const result = await generateText({ ...request, messages, abortSignal } as never);
        const added = fieldsOf(readPath(result, 'response.messages'));
        const stopReason = asNonEmptyText(readPath(result, 'finishReason'));
        const calls = asList(readPath(result, 'steps')).map((step) => ({
          ...factsOf(readPath(step, 'response')),
          usage: readPath(step, 'usage') ?? null,
        }));
        const { usage } = calls.at(-1) ?? factsOf(result);
        return {
          items: added.filter(({ role }) => role !== 'tool'),
          results: added.filter(({ role }) => role === 'tool'),
          text: asNonEmptyText(readPath(result, 'text')) ?? '',
          toolCalls: [],
          stopReason,
          goesOn: stopReason === 'tool-calls',
          ...factsOf(readPath(result, 'response')),
          usage,
          calls: calls.slice(0, -1),
        };
      },
    },
    options,
  );
}

function fieldsOf(list: unknown): readonly Fields[] {
  return asList(list).map((item) => asFields(item) ?? {});
}

function factsOf(answer: unknown) {
  return {
    usage: readPath(answer, 'usage') ?? null,
    call: asNonEmptyText(readPath(answer, 'id')) ?? undefined,
    model:
      asNonEmptyText(readPath(answer, 'model')) ?? asNonEmptyText(readPath(answer, 'modelId')) ?? undefined,
  };
}

function toolOf(id: unknown, name: unknown, input: unknown): ToolCall {
  return { id: String(id), name: String(name), input };
}

function parse(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return text;
  }
}
