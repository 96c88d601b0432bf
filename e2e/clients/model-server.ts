/**
 * A model server for real clients: Anthropic's Messages API and OpenAI's Responses API with scripted answers, on
 * 127.0.0.1.
 *
 * The first `script:NAME` in a request's user messages selects the script, and each call takes the script's next
 * answer after a random delay. The ledger lists every answered call with the session that the client named.
 */
import { randomInt } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';

export interface Usage {
  input: number;
  output: number;
  cacheRead: number;
  cacheCreation: number;
}

/** One answer of the model. */
export interface Answer {
  tool?: { name: string; namespace?: string; input: Record<string, unknown> };
  usage?: { cacheRead?: number; cacheCreation?: number };
  text?: string;
  /** Refuse the call with this message instead; the ledger does not list refused calls. */
  refusal?: string;
}

export interface LedgerCall {
  id: string;
  /** The client's own session id. */
  session: string;
  script: string;
  isCompaction: boolean;
  /** Random. No two calls have the same input count, so no two calls have equal usage. */
  usage: Usage;
}

interface MessagesRequest {
  model: string;
  metadata?: { user_id?: string };
  messages: { role?: string; content?: string | { text?: string }[] }[];
}

interface ResponsesRequest {
  model: string;
  input: MessagesRequest['messages'];
}

interface Call {
  session: string;
  model: string;
  /** The user's messages. */
  texts: string[];
}

interface GeminiRequest {
  contents: { role?: string; parts?: { text?: string }[] }[];
}

const SUMMARY_REQUEST =
  /create a detailed summary|CONTEXT CHECKPOINT COMPACTION|^Here is the conversation so far|<state_snapshot>.*\.\s*$/s;
/** OpenCode does not record these calls. */
const TITLE_REQUEST = /^Generate a title for this conversation/;
const MODEL_CALL = /^\/v1\/(messages|responses)$|enerateContent$/;
const GEMINI_CALL = /^\/v1beta\/models\/([^/:]+):(streamG|g)enerateContent$/;

type Scripts = Readonly<Record<string, Answer[]>>;

export interface ModelOptions {
  /** Number the ids in each session from 1. */
  repeatsIds: boolean;
  /** The shortest and the longest delay of an answer, in milliseconds. */
  delays: readonly [number, number];
  /** Keep the requests of the Messages API. Default: false. */
  keepsRequests?: boolean;
}

export class ModelServer {
  readonly ledger: LedgerCall[] = [];
  /** Bodies of requests of the Messages API, if they are kept. */
  readonly requests: { session: string; body: string }[] = [];
  /** Paths that the server does not know. */
  readonly unknown = new Set<string>();
  private readonly used = new Map<string, number>();
  private readonly inputs = new Set<number>();
  /** The first script of each session. */
  private readonly scriptOf = new Map<string, string>();

  private constructor(
    private readonly server: Server,
    private readonly scripts: Scripts,
    private readonly options: ModelOptions,
  ) {}

  static async start(scripts: Scripts, options: ModelOptions): Promise<ModelServer> {
    const server = createServer();
    const model = new ModelServer(server, scripts, options);
    server.on('request', (request, response) => {
      model.answer(request, response).catch((error: Error) => response.destroy(error));
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    return model;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    const body = await readText(request);
    if (MODEL_CALL.test(path)) await wait(randomInt(...this.options.delays));
    if (path === '/v1/messages') {
      const session = request.headers['x-parent-session-id'] ?? request.headers['x-session-id'];
      return this.answerMessages(body, response, session?.toString());
    }
    const [, model, kind] = GEMINI_CALL.exec(path) ?? [];
    if (model !== undefined)
      return this.answerGemini(JSON.parse(body) as GeminiRequest, model, kind === 'streamG', response);
    if (path.endsWith(':countTokens')) return sendJson(response, 200, { totalTokens: 500 });
    if (path === '/v1/responses') {
      const { model, input } = JSON.parse(body) as ResponsesRequest;
      // Codex names its thread in a header. Sub-agents are threads of their own.
      const session = String(request.headers['thread-id']);
      return this.answerCall({ session, model, texts: userTexts(input) }, response, streamResponse);
    }
    if (path === '/v1/messages/count_tokens') return sendJson(response, 200, { input_tokens: 1_000 });
    // The client requests the root path to open its connection early.
    if (path !== '/') this.unknown.add(`${request.method} ${path}`);
    return sendJson(response, 404, { type: 'error', error: { type: 'not_found_error', message: path } });
  }

  /** Gives the calls that began with this script a session. Their requests did not name one. */
  nameSession(script: string, session: string): void {
    for (const call of this.ledger) if (call.session === script) call.session = session;
  }

  /** The session of the script's calls. */
  sessionOf(script: string): string {
    return this.ledger.find((call) => call.script === script)?.session ?? '';
  }

  /** @param given the session that a header names */
  private answerMessages(body: string, response: ServerResponse, given: string | undefined): void {
    const { model, messages, metadata } = JSON.parse(body) as MessagesRequest;
    const text = metadata?.user_id ?? '';
    // Claude Code names its session as JSON or at the end of a longer id.
    const session = given ?? /session(?:_id"?:"|_)([0-9a-f-]{36})/.exec(text)?.[1] ?? text;
    if (this.options.keepsRequests === true) this.requests.push({ session, body });
    this.answerCall({ session, model, texts: userTexts(messages) }, response, streamMessage);
  }

  private answerGemini(
    request: GeminiRequest,
    model: string,
    isStream: boolean,
    response: ServerResponse,
  ): void {
    const texts = request.contents.flatMap(({ role, parts = [] }) =>
      role === 'user' ? [parts.map(({ text }) => text ?? '').join('\n')] : [],
    );
    // A request names no session.
    const session = /script:(\w+)/.exec(texts.join('\n'))?.[1] ?? '';
    const message = this.next({ session, model, texts }, response);
    if (message === null) return;
    if (!isStream) {
      sendJson(response, 200, geminiAnswer(message));
      return;
    }
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.end(`data: ${JSON.stringify(geminiAnswer(message))}\n\n`);
  }

  private answerCall(call: Call, response: ServerResponse, send: Send): void {
    const message = this.next(call, response);
    if (message === null) return;
    const request = message.id.replace('msg', 'req');
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'request-id': request });
    send(message, (type, more) =>
      response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`),
    );
    response.end();
  }

  /** Returns the answer to a call; null if the script refuses the call. */
  private next({ session, model, texts }: Call, response: ServerResponse): Message | null {
    // A compaction after a refused call drops the oldest messages.
    const script = /script:(\w+)/.exec(texts.join('\n'))?.[1] ?? this.scriptOf.get(session) ?? '';
    if (!this.scriptOf.has(session)) this.scriptOf.set(session, script);
    const isCompaction = SUMMARY_REQUEST.test(texts.at(-1) ?? '');
    const isTitle = TITLE_REQUEST.test(texts[0] ?? '');
    const answer = isCompaction || isTitle ? {} : this.take(script);
    if (answer.refusal !== undefined) {
      const error = { type: 'invalid_request_error', message: answer.refusal };
      sendJson(response, 400, { type: 'error', error });
      return null;
    }
    const calls = this.ledger.filter((call) => call.session === session);
    const number = (this.options.repeatsIds ? calls : this.ledger).length + 1;
    const { cacheRead = 0, cacheCreation = 0 } = calls.at(-1)?.usage ?? {};
    // The request of a summary reads the whole context.
    const cost = isCompaction ? { cacheRead: cacheRead + cacheCreation } : answer.usage;
    const usage = {
      cacheRead: 0,
      cacheCreation: 0,
      ...cost,
      input: this.newInput(),
      output: randomInt(20, 900),
    };
    const id = `msg_${String(number).padStart(24, '0')}`;
    if (!isTitle) this.ledger.push({ id, session, script, isCompaction, usage });
    const text = isCompaction
      ? `<summary>Work so far, script:${script}.</summary>`
      : (answer.text ?? 'Done.');
    return { id, model, usage, text, tool: answer.tool };
  }

  private newInput(): number {
    const input = randomInt(1, 5_000);
    if (this.inputs.has(input)) return this.newInput();
    this.inputs.add(input);
    return input;
  }

  /** The script's next answer, or a plain answer after the end of the script. */
  private take(script: string): Answer {
    const position = this.used.get(script) ?? 0;
    this.used.set(script, position + 1);
    return this.scripts[script]?.[position] ?? {};
  }
}

function userTexts(messages: MessagesRequest['messages']): string[] {
  return messages.flatMap(({ role, content }) => {
    if (role !== 'user' || content === undefined) return [];
    return [typeof content === 'string' ? content : content.map(({ text }) => text ?? '').join('\n')];
  });
}

interface Message {
  id: string;
  model: string;
  usage: Usage;
  text: string;
  tool: Answer['tool'] | undefined;
}

type Send = (message: Message, send: (type: string, more: Record<string, unknown>) => void) => void;

/** The first event has a placeholder for the output, as the real API sends it. */
const streamMessage: Send = ({ id, model, usage, text, tool }, send) => {
  const block = (index: number, content_block: object, delta: object) => {
    send('content_block_start', { index, content_block });
    send('content_block_delta', { index, delta });
    send('content_block_stop', { index });
  };
  const usageOf = (output_tokens: number) => ({
    input_tokens: usage.input,
    output_tokens,
    cache_read_input_tokens: usage.cacheRead,
    cache_creation_input_tokens: usage.cacheCreation,
  });
  const message = { id, type: 'message', role: 'assistant', model, content: [], stop_reason: null };
  send('message_start', { message: { ...message, stop_sequence: null, usage: usageOf(1) } });
  block(0, { type: 'text', text: '' }, { type: 'text_delta', text });
  if (tool !== undefined) {
    // A fork contains the tool calls of two sessions. Their ids must differ, so the id is made from the unique input.
    const use = {
      type: 'tool_use',
      id: `toolu_${String(usage.input).padStart(24, '0')}`,
      name: tool.name,
      input: {},
    };
    block(1, use, { type: 'input_json_delta', partial_json: JSON.stringify(tool.input) });
  }
  const stop_reason = tool === undefined ? 'end_turn' : 'tool_use';
  send('message_delta', { delta: { stop_reason, stop_sequence: null }, usage: usageOf(usage.output) });
  send('message_stop', {});
};

const streamResponse: Send = ({ id, usage, text, tool }, send) => {
  const { input, output, cacheRead, cacheCreation } = usage;
  const prompt = input + cacheRead + cacheCreation;
  const details = { cached_tokens: cacheRead, cache_write_tokens: cacheCreation };
  const total = {
    input_tokens: prompt,
    input_tokens_details: details,
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 5 },
    total_tokens: prompt + output,
  };
  const response = { id: id.replace('msg', 'resp') };
  const content = [{ type: 'output_text', text, annotations: [] }];
  send('response.created', { response });
  send('response.output_item.done', {
    output_index: 0,
    item: { type: 'message', id, role: 'assistant', status: 'completed', content },
  });
  if (tool !== undefined) {
    const { input: given, ...rest } = tool;
    const names = { id: `fc_${input}`, call_id: `call_${input}`, ...rest };
    const item = { type: 'function_call', status: 'completed', ...names, arguments: JSON.stringify(given) };
    send('response.output_item.done', { output_index: 1, item });
  }
  send('response.completed', { response: { ...response, usage: total, output: [] } });
};

function geminiAnswer({ id, model, usage, text, tool }: Message) {
  const { input, output, cacheRead } = usage;
  const thoughts = 5;
  const call = tool && { functionCall: { name: tool.name, args: tool.input } };
  return {
    candidates: [
      {
        index: 0,
        finishReason: 'STOP',
        content: { role: 'model', parts: call ? [{ text }, call] : [{ text }] },
      },
    ],
    usageMetadata: {
      promptTokenCount: input + cacheRead,
      cachedContentTokenCount: cacheRead,
      candidatesTokenCount: output - thoughts,
      thoughtsTokenCount: thoughts,
      totalTokenCount: input + cacheRead + output,
    },
    modelVersion: model,
    responseId: id,
  };
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(body));
}
