/**
 * For tests: a model server on 127.0.0.1 for Anthropic's Messages API and OpenAI's Chat Completions. A token is four
 * characters of the request. The model works through a plan of tools, and keeps each call that it has answered.
 */
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface PlannedTool {
  name: 'read' | 'delegate';
  text: string;
}
export interface SeenCall {
  /** Number of the request. */
  number: number;
  input: number;
  output: number;
  cacheRead: number;
  cacheCreation: number;
}
export interface SeenRequest {
  /** From 1. */
  number: number;
  path: string;
  isCheckpoint: boolean;
  isSub: boolean;
  /** Steps that the conversation's checkpoint names. */
  done: number;
  response: ServerResponse;
}
type Fields = Record<string, unknown>;
type Kind = 'anthropic' | 'openai';

const WINDOWS: Record<Kind, number> = { anthropic: 200_000, openai: 128_000 };
const tokensOf = (text: string) => Math.ceil(text.length / 4);

export class ScriptedModel {
  /** Calls that the model has answered, in order. */
  readonly calls: SeenCall[] = [];
  readonly statuses: number[] = [];
  /** Number the ids of OpenAI's answers from 0 to 2 only, as Ollama repeats 999 ids. */
  repeatsIds = false;
  /** Called before the answer to each request. A status is the answer. */
  onRequest: (request: SeenRequest) => unknown = () => undefined;
  readonly #cached = new Map<string, number>();
  readonly #server: Server;
  #requests = 0;

  private constructor(readonly plan: readonly (readonly PlannedTool[])[]) {
    this.#server = createServer(async (request, response) => {
      let text = '';
      for await (const chunk of request) text += String(chunk);
      await this.#answer(request.url ?? '', JSON.parse(text) as Fields, response);
    });
  }

  static async start(plan: readonly (readonly PlannedTool[])[]): Promise<ScriptedModel> {
    const model = new ScriptedModel(plan);
    model.#server.listen(0, '127.0.0.1');
    await once(model.#server, 'listening');
    return model;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #answer(path: string, body: Fields, response: ServerResponse): Promise<void> {
    const kind = path.endsWith('/messages') ? 'anthropic' : 'openai';
    const messages = body.messages as Fields[];
    const users = messages.filter(({ role, content }) => role === 'user' && typeof content === 'string');
    const first = String(users[0]?.content);
    const isSub = first.startsWith('Sub-task');
    const done = Number(/Done: (\d+)/.exec(first)?.[1] ?? 0);
    const isCheckpoint = String(messages.at(-1)?.content).includes('CHECKPOINT REQUIRED');
    this.#requests += 1;
    const number = this.#requests;
    const status = await this.onRequest({ number, path, isCheckpoint, isSub, done, response });
    // A client that is gone gets no answer.
    if (response.destroyed) return;
    const size = tokensOf(JSON.stringify([body.system, messages]));
    if (typeof status === 'number') this.#send(response, status, { error: { type: 'overloaded_error' } });
    else if (size > WINDOWS[kind]) this.#send(response, 400, refusalOf(kind, size));
    else {
      const step = done + countSteps(messages);
      const tools = isCheckpoint || isSub ? [] : (this.plan[step] ?? []);
      const text = isCheckpoint ? `<checkpoint>\nDone: ${step}\n</checkpoint>` : `step ${step}`;
      const earlier = this.#cached.get(first) ?? 0;
      this.#cached.set(first, size);
      const cacheRead = Math.min(earlier, size);
      const output = tokensOf(text) + 40 * tools.length;
      const reply = kind === 'anthropic' ? toAnthropic : toOpenAI;
      const written = kind === 'anthropic' ? size - cacheRead : 0;
      const counts = { number, input: size - cacheRead - written, output, cacheRead, cacheCreation: written };
      this.calls.push(counts);
      this.#send(
        response,
        200,
        reply({ id: this.#idOf(kind, number), text, tools, counts, model: body.model }),
      );
    }
  }

  #idOf(kind: Kind, number: number): string {
    const start = kind === 'anthropic' ? 'msg_' : 'chatcmpl-';
    const isRepeated = this.repeatsIds && kind === 'openai';
    return start + (isRepeated ? number % 3 : `${String(number).padStart(6, '0')}QxLwVnBaKd`);
  }

  #send(response: ServerResponse, status: number, body: object): void {
    this.statuses.push(status);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  }
}

interface Reply {
  id: string;
  text: string;
  tools: readonly PlannedTool[];
  counts: SeenCall;
  model: unknown;
}

function toAnthropic({ id, text, tools, counts, model }: Reply): object {
  const { number } = counts;
  const blocks = tools.map(({ name, text: input }, index) => ({
    type: 'tool_use',
    id: `toolu_${number}_${index}`,
    name,
    input: { text: input },
  }));
  return {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: [{ type: 'text', text }, ...blocks],
    stop_reason: tools.length > 0 ? 'tool_use' : 'end_turn',
    usage: {
      input_tokens: counts.input,
      output_tokens: counts.output,
      cache_read_input_tokens: counts.cacheRead,
      cache_creation_input_tokens: counts.cacheCreation,
    },
  };
}

function toOpenAI({ id, text, tools, counts, model }: Reply): object {
  const { number } = counts;
  const calls = tools.map(({ name, text: input }, index) => ({
    id: `call_${number}_${index}`,
    type: 'function',
    function: { name, arguments: JSON.stringify({ text: input }) },
  }));
  const message = { role: 'assistant', content: text, ...(calls.length > 0 ? { tool_calls: calls } : {}) };
  const prompt = counts.input + counts.cacheRead;
  return {
    id,
    object: 'chat.completion',
    model,
    choices: [{ index: 0, message, finish_reason: calls.length > 0 ? 'tool_calls' : 'stop' }],
    usage: {
      prompt_tokens: prompt,
      completion_tokens: counts.output,
      total_tokens: prompt + counts.output,
      prompt_tokens_details: { cached_tokens: counts.cacheRead },
    },
  };
}

function refusalOf(kind: Kind, size: number): object {
  const message = `prompt is too long: ${size} tokens > ${WINDOWS[kind]} maximum`;
  return kind === 'anthropic'
    ? { type: 'error', error: { type: 'invalid_request_error', message } }
    : { error: { type: 'invalid_request_error', code: 'context_length_exceeded', message } };
}

/** Counts the answers of the model for which every tool call has its result. */
function countSteps(messages: readonly Fields[]): number {
  return messages.filter(({ role, content }, index) => {
    const next = messages[index + 1];
    const isResult = next?.role === 'tool' || (next?.role === 'user' && Array.isArray(next.content));
    return role === 'assistant' && isResult && !JSON.stringify(next).includes('Not run') && content !== null;
  }).length;
}
