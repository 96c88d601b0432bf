/**
 * A server for tests of uploads: it has the archive endpoints, keeps archives, and fails on demand. With `port` it
 * restarts at the address of a killed server, and with `kept` it has that server's archives.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { onTestFinished } from 'vitest';
import { type ArchiveOffer, archiveOffer } from '../../../../core/api/transcripts';
import { IDENTITY_PATH } from '../../../../core/settings/connection-file';
import { findFreePort } from '../../../../core/testing/free-port';
import { answerIdentity, TEST_SECRET, TEST_SERVER, type TestIdentity } from '../../proof/testing/identity';

export interface KeptArchives {
  offers: Map<string, ArchiveOffer>;
  chunks: Map<string, Buffer>;
  stored: Set<string>;
}

export interface FakeAnswer {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
  /** Cut the connection instead of answering. */
  cut?: boolean;
  /** Take the request and never answer. */
  mute?: boolean;
}

export interface FakeArchiveServerOptions {
  port?: number;
  kept?: KeptArchives;
  /** The server's id, and its secret for proofs. */
  identity?: TestIdentity;
  /** An answer returned here replaces the server's own answer. `calls` counts from 1. */
  onCall?(call: FakeCall, calls: number): FakeAnswer | undefined;
}

export interface FakeCall {
  method: string;
  path: string;
  kind: 'offer' | 'chunk' | 'complete' | 'other';
  authorization: string | undefined;
  body: Buffer;
}

export class FakeArchiveServer {
  readonly calls: FakeCall[] = [];
  /** Identity requests, which are not in `calls`. */
  readonly asked: { method: string; authorization: string | undefined; body: string }[] = [];
  readonly kept: KeptArchives;
  readonly port: number;
  /** For further endpoints at the same address. */
  readonly http: Server;
  readonly #options: FakeArchiveServerOptions;
  /** Includes sockets of WebSockets. */
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server, options: FakeArchiveServerOptions) {
    this.http = server;
    this.#options = options;
    this.port = (server.address() as AddressInfo).port;
    this.kept = options.kept ?? { offers: new Map(), chunks: new Map(), stored: new Set() };
    server.on('connection', (socket) => this.#sockets.add(socket));
    server.on('request', (request, response) => void this.#read(request, response));
  }

  /** The server stops at the end of the test, if the test has not stopped it. */
  static async start(options: FakeArchiveServerOptions = {}): Promise<FakeArchiveServer> {
    const http = createServer();
    http.listen(options.port ?? (await findFreePort()), '127.0.0.1');
    await once(http, 'listening');
    const server = new FakeArchiveServer(http, options);
    onTestFinished(() => server.stop());
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  count(kind: FakeCall['kind']): number {
    return this.calls.filter((call) => call.kind === kind).length;
  }

  /** The bytes of a stored archive, joined from its chunks. */
  content(archive: string): Buffer {
    const offer = this.kept.offers.get(archive);
    if (offer === undefined || !this.kept.stored.has(archive)) throw new Error(`${archive} is not stored`);
    return Buffer.concat(offer.chunks.map((sha256) => this.kept.chunks.get(sha256) ?? Buffer.alloc(0)));
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    if (this.http.listening) await new Promise((resolve) => this.http.close(resolve));
  }

  async #read(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    try {
      for await (const part of request) parts.push(part as Buffer);
    } catch {
      return;
    }
    const { method = '', url: path = '', headers } = request;
    const { identity = { server: TEST_SERVER, secret: TEST_SECRET } } = this.#options;
    if (path === IDENTITY_PATH) {
      const body = Buffer.concat(parts).toString();
      this.asked.push({ method, authorization: headers.authorization, body });
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answerIdentity(identity, this.port, { method, body })));
      return;
    }
    const call: FakeCall = {
      method,
      path,
      kind: kindOf(method, path),
      authorization: headers.authorization,
      body: headers['content-encoding'] === 'gzip' ? gunzipSync(Buffer.concat(parts)) : Buffer.concat(parts),
    };
    this.calls.push(call);
    const answer = this.#options.onCall?.(call, this.calls.length) ?? this.#answer(call);
    if (answer.mute) return;
    if (answer.cut) {
      request.socket.destroy();
      return;
    }
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
    response.end(JSON.stringify(answer.body ?? {}));
  }

  #answer(call: FakeCall): FakeAnswer {
    const [, , , archive = '', , sha256 = ''] = call.path.split('/');
    if (call.kind === 'offer') {
      const offer = archiveOffer.parse(JSON.parse(call.body.toString()));
      const known = this.kept.offers.get(offer.archive);
      if (known !== undefined && known.sha256 !== offer.sha256) {
        return { status: 409, body: { code: 'archive_conflict', reason: 'It names other bytes.' } };
      }
      this.kept.offers.set(offer.archive, offer);
      return { status: 200, body: this.#progress(offer.archive) };
    }
    if (call.kind === 'chunk') {
      if (!this.kept.offers.has(archive)) return { status: 404, body: { reason: 'No such archive.' } };
      if (hashOf(call.body) !== sha256) return { status: 422, body: { reason: 'The hash is wrong.' } };
      this.kept.chunks.set(sha256, call.body);
      return { status: 204 };
    }
    if (call.kind === 'complete') {
      const offer = this.kept.offers.get(archive);
      if (offer === undefined) return { status: 404, body: { reason: 'No such archive.' } };
      if (this.#missing(offer).length === 0) {
        this.kept.stored.add(archive);
        if (hashOf(this.content(archive)) !== offer.sha256) {
          this.kept.stored.delete(archive);
          return { status: 422, body: { reason: 'The hash of the whole is wrong.' } };
        }
      }
      return { status: 200, body: this.#progress(archive) };
    }
    return { status: 404, body: { reason: 'There is nothing here.' } };
  }

  #progress(archive: string) {
    const offer = this.kept.offers.get(archive);
    const isStored = this.kept.stored.has(archive);
    return {
      archive,
      id: archive,
      state: isStored ? 'stored' : 'uploading',
      missing: offer === undefined || isStored ? [] : this.#missing(offer),
      verifiedAt: isStored ? '2026-03-01T10:00:00.000Z' : null,
    };
  }

  #missing(offer: ArchiveOffer): string[] {
    return [...new Set(offer.chunks)].filter((sha256) => !this.kept.chunks.has(sha256));
  }
}

function kindOf(method: string, path: string): FakeCall['kind'] {
  if (method === 'POST' && path === '/v1/archives') return 'offer';
  if (method === 'PUT' && /^\/v1\/archives\/[^/]+\/chunks\/[0-9a-f]{64}$/.test(path)) return 'chunk';
  return method === 'POST' && /^\/v1\/archives\/[^/]+\/complete$/.test(path) ? 'complete' : 'other';
}

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
