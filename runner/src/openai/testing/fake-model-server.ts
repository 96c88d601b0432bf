/** For tests: an HTTP server on 127.0.0.1 that answers as an OpenAI-compatible one, from a script. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SeenRequest {
  method: string;
  path: string;
  body: Record<string, unknown>;
}

export type Reply = (response: ServerResponse) => void | Promise<void>;

/** How a stream ends: with `[DONE]`, by a broken connection, or only when the client disconnects. */
export type StreamEnd = 'done' | 'torn' | 'open';

export class FakeModelServer {
  readonly requests: SeenRequest[] = [];
  readonly #replies: Reply[] = [];
  readonly #server: Server;
  readonly #otherwise: Reply;

  private constructor(otherwise: Reply) {
    this.#otherwise = otherwise;
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  /** @param otherwise answers the requests that have no reply of their own. Default: an error. */
  static async start(otherwise: Reply = refuse): Promise<FakeModelServer> {
    const fake = new FakeModelServer(otherwise);
    fake.#server.listen(0, '127.0.0.1');
    await once(fake.#server, 'listening');
    return fake;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  /** The answers to the next requests, in order. */
  next(...replies: Reply[]): void {
    this.#replies.push(...replies);
  }

  lastBody(): Record<string, unknown> {
    return this.requests.at(-1)?.body ?? {};
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const body = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
    this.requests.push({ method: request.method ?? '', path: request.url ?? '', body });
    await (this.#replies.shift() ?? this.#otherwise)(response);
  }
}

const refuse: Reply = (response) => void response.writeHead(501).end();

export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Reply {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'req_1', ...headers });
    response.end(JSON.stringify(body));
  };
}

/** Server-sent events, each with its type if it has one. */
export function events(list: readonly object[], end: StreamEnd = 'done'): Reply {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    for (const event of list) response.write(eventText(event));
    if (end === 'done') response.end('data: [DONE]\n\n');
    // Destroyed after the last write, so that the client gets the earlier events.
    else if (end === 'torn') response.write('data: {"id":', () => response.destroy());
  };
}

export function eventText(event: object): string {
  const type = 'type' in event ? `event: ${String(event.type)}\n` : '';
  return `${type}data: ${JSON.stringify(event)}\n\n`;
}
