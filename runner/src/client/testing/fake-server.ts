/** A server for the client's tests: implements the protocol, records items, and fails on demand. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { PROTOCOL_LIMITS } from '../../../../core/protocol/limits';
import type { Hello, Refusal, SeqRange } from '../../../../core/protocol/messages';
import { toRanges } from '../../../../core/protocol/ranges';
import { findFreePort } from '../../../../core/testing/free-port';

export interface FakeItem {
  seq: number;
  type: string;
  session: string;
  [field: string]: unknown;
}

export interface FakeServerOptions {
  port?: number;
  /** A listening server to share; its owner stops it. */
  http?: Server;
  /** Answers a frame. Default: store and acknowledge all items. */
  onFrame?(items: FakeItem[], socket: WebSocket, server: FakeServer): void;
  onHello?(hello: Hello, socket: WebSocket, server: FakeServer): void;
}

export class FakeServer {
  readonly hellos: Hello[] = [];
  readonly authorizations: Array<string | undefined> = [];
  readonly frames: FakeItem[][] = [];
  /** Items by stream. */
  readonly stored = new Map<string, Map<number, FakeItem>>();
  private readonly streams = new Map<WebSocket, string>();

  private constructor(
    private readonly sockets: WebSocketServer,
    private readonly options: FakeServerOptions,
  ) {
    sockets.on('connection', (socket, request) => {
      this.authorizations.push(request.headers.authorization);
      socket.on('message', (data) => this.read(JSON.parse(data.toString()), socket));
    });
  }

  static async start(options: FakeServerOptions = {}): Promise<FakeServer> {
    const { http, port = http === undefined ? await findFreePort() : 0 } = options;
    const sockets = new WebSocketServer(http === undefined ? { host: '127.0.0.1', port } : { server: http });
    if (http === undefined) await once(sockets, 'listening');
    return new FakeServer(sockets, options);
  }

  get port(): number {
    return (this.sockets.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** All items, ordered by stream and seq. */
  get items(): FakeItem[] {
    return [...this.stored.values()].flatMap((items) => [...items.values()].sort((a, b) => a.seq - b.seq));
  }

  store(items: FakeItem[], socket: WebSocket): void {
    const held = this.stored.get(this.streams.get(socket) ?? '');
    for (const item of items) held?.set(item.seq, item);
  }

  ack(items: FakeItem[], socket: WebSocket, refused: Refusal[] = []): void {
    const settled = toRanges(items.map((item) => item.seq));
    socket.send(JSON.stringify({ type: 'ack', settled, duplicate: [], amended: [], refused }));
  }

  welcome(socket: WebSocket, received: SeqRange[]): void {
    const server = { name: 'fake', version: '0', epoch: 'e' };
    socket.send(JSON.stringify({ type: 'welcome', v: 1, server, limits: PROTOCOL_LIMITS, received }));
  }

  /** Drops every connection without a close frame. */
  cut(): void {
    for (const socket of this.sockets.clients) socket.terminate();
  }

  async stop(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.sockets.close(resolve));
  }

  private read(message: Hello | FakeItem | FakeItem[], socket: WebSocket): void {
    if (!Array.isArray(message) && message.type === 'hello') {
      const hello = message as Hello;
      this.hellos.push(hello);
      this.streams.set(socket, hello.stream);
      const held = this.stored.get(hello.stream) ?? new Map<number, FakeItem>();
      this.stored.set(hello.stream, held);
      if (this.options.onHello) this.options.onHello(hello, socket, this);
      else this.welcome(socket, toRanges(held.keys()));
      return;
    }
    const items = (Array.isArray(message) ? message : [message]) as FakeItem[];
    this.frames.push(items);
    if (this.options.onFrame) {
      this.options.onFrame(items, socket, this);
      return;
    }
    this.store(items, socket);
    this.ack(items, socket);
  }
}
