import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WebSocketServer } from 'ws';
import { connectServer } from './connect-server';
import { WebSocketClient } from './web-socket';

const MAX_BYTES = 1_000_000;
const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** Accepts the handshake, then runs a script on the bare socket. */
const http = createServer();
let script: (line: Socket, request: IncomingMessage) => void;
/** Bytes that the client sent after the handshake. */
let sent: Buffer;
let answer: (key: string) => string;
const lines = new Set<Socket>();
http.on('upgrade', (request, line: Socket) => {
  line.on('data', (chunk) => {
    sent = Buffer.concat([sent, chunk]);
  });
  line.on('error', () => undefined);
  lines.add(line);
  const accept = createHash('sha1').update(`${request.headers['sec-websocket-key']}${GUID}`).digest('base64');
  line.write(answer(accept), 'latin1');
  script(line, request);
});

let log: string[];
let client: WebSocketClient;
function connect(url: string): WebSocketClient {
  client = new WebSocketClient(
    url,
    { headers: { Authorization: 'Bearer bg_x' }, maxBytes: MAX_BYTES, keepsAlive: true },
    {
      onOpen: () => log.push('open'),
      onText: (text) => log.push(`text ${text}`),
      onFrame: () => log.push('frame'),
      onClose: (code, detail) => log.push(`close ${code} ${detail}`),
      onRefused: (status, message, body) => log.push(`refused ${status} ${message} ${body}`),
    },
  );
  return client;
}
const scriptUrl = () => `ws://127.0.0.1:${(http.address() as AddressInfo).port}/x`;
const connectToScript = () => connect(scriptUrl());
const ended = () => vi.waitFor(() => expect(log.some((line) => /^(close|refused)/.test(line))).toBe(true));

beforeEach(async () => {
  log = [];
  sent = Buffer.alloc(0);
  answer = (accept) =>
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`;
  script = () => undefined;
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
});
afterEach(async () => {
  client.destroy();
  for (const line of lines) line.destroy();
  http.close();
  await once(http, 'close');
});

/** A frame of a server. */
function frame(first: number, payload: Buffer | string = '', masked = 0): Buffer {
  const body = Buffer.from(payload);
  return Buffer.concat([Buffer.from([first, masked | body.length]), body]);
}
const closeFrame = (code: number, reason = '') =>
  frame(0x88, Buffer.concat([Buffer.from([code >> 8, code & 255]), Buffer.from(reason)]));

describe('a WebSocket client', () => {
  it.each([0, 1, 125, 126, 127, 65_535, 65_536, 300_000])(
    'sends and receives a text of %i bytes as the ws library reads and writes it',
    async (length) => {
      const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
      await once(server, 'listening');
      let head: IncomingMessage | undefined;
      server.on('connection', (socket, request) => {
        head = request;
        socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }));
      });
      connect(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/`);
      await vi.waitFor(() => expect(log).toEqual(['open']));
      const text = 'ä€😀a'.repeat(Math.ceil(length / 10)).slice(0, length);
      client.send(text);
      await vi.waitFor(() => expect(log).toEqual(['open', 'frame', `text ${text}`]));
      expect(head?.headers.authorization).toBe('Bearer bg_x');
      server.close();
    },
  );

  it('joins fragments, and answers a ping between them', async () => {
    script = (line) => {
      const frames = [
        frame(0x01, 'He'),
        frame(0x89, 'p'),
        frame(0x00, 'l'),
        frame(0x80, 'lo'),
        frame(0x81, '!'),
      ];
      // Byte by byte, so that each head and payload arrives in pieces.
      const bytes = Buffer.concat(frames);
      const next = (index: number): void => {
        if (index < bytes.length)
          line.write(bytes.subarray(index, index + 1), () => setImmediate(next, index + 1));
      };
      next(0);
    };
    connectToScript();
    await vi.waitFor(() => expect(log.at(-1)).toBe('text !'));
    expect(log).toEqual(['open', 'frame', 'frame', 'text Hello', 'frame', 'text !']);
    expect([sent[0], sent[1]]).toEqual([0x8a, 0x81]);
    expect((sent[6] ?? 0) ^ (sent[2] ?? 0)).toBe('p'.charCodeAt(0));
  });

  it('reads frames that arrive with the handshake', async () => {
    const plain = answer;
    answer = (accept) => plain(accept) + frame(0x81, 'early').toString('latin1');
    connectToScript();
    await vi.waitFor(() => expect(log).toEqual(['open', 'frame', 'text early']));
  });

  it('passes code and reason of a close, and returns the code', async () => {
    script = (line) => line.write(Buffer.concat([closeFrame(4_401, 'token'), frame(0x81, 'late')]));
    connectToScript();
    await ended();
    expect(log).toEqual(['open', 'frame', 'close 4401 token']);
    await vi.waitFor(() => expect(sent.length).toBe(8));
    const code = [6, 7].map((index) => (sent[index] ?? 0) ^ (sent[index - 4] ?? 0));
    expect(code).toEqual([4_401 >> 8, 4_401 & 255]);
  });

  it.each<[string, Buffer, number]>([
    ['a masked frame', frame(0x81, 'x', 0x80), 1002],
    ['a reserved flag', frame(0xc1, 'x'), 1002],
    ['an unknown opcode', frame(0x83, 'x'), 1002],
    ['a ping in fragments', frame(0x09, 'x'), 1002],
    ['a ping of 126 bytes', Buffer.from([0x89, 126, 0, 126]), 1002],
    ['a continuation without a start', frame(0x80, 'x'), 1002],
    ['a new message within a message', Buffer.concat([frame(0x01, 'a'), frame(0x81, 'b')]), 1002],
    ['half a close code', frame(0x88, 'x'), 1002],
    ['a text that is not UTF-8', frame(0x81, Buffer.from([0xc3, 0x28])), 1007],
    ['a message above the limit', Buffer.from([0x81, 127, 0, 0, 0, 0, 0, 0x0f, 0x42, 0x41]), 1009],
    ['a length above 2^53', Buffer.from([0x81, 127, 255, 255, 255, 255, 255, 255, 255, 255]), 1009],
  ])('ends the connection after %s', async (_name, bytes, code) => {
    script = (line) => line.write(bytes);
    connectToScript();
    await ended();
    expect(log.filter((line) => line.startsWith('close'))).toEqual([expect.stringMatching(/^close 1006 /)]);
    await vi.waitFor(() => expect(sent.length).toBeGreaterThanOrEqual(8));
    expect(sent[0]).toBe(0x88);
    const stated = [6, 7].map((index) => (sent[index] ?? 0) ^ (sent[index - 4] ?? 0));
    expect(stated).toEqual([code >> 8, code & 255]);
  });

  it('ends the connection if fragments exceed the limit together', async () => {
    const part = Buffer.alloc(60_000, 'a');
    const head = (first: number) => Buffer.from([first, 126, part.length >> 8, part.length & 255]);
    script = (line) => {
      line.write(Buffer.concat([head(0x01), part]));
      for (let index = 0; index < 20; index += 1) line.write(Buffer.concat([head(0x00), part]));
    };
    connectToScript();
    await ended();
    expect(log.at(-1)).toBe(`close 1006 The server sent more than ${MAX_BYTES} bytes.`);
  });

  it('reports a connection that ends without a close frame, once', async () => {
    script = (line) => line.destroy();
    connectToScript();
    await ended();
    expect(log).toEqual(['open', expect.stringMatching(/^close 1006 /)]);
  });

  it('refuses an answer with a wrong key', async () => {
    const plain = answer;
    answer = () => plain('d3Jvbmc=');
    connectToScript();
    await ended();
    expect(log).toEqual(['close 1006 The server did not answer as a WebSocket server.']);
  });

  it.each(['', 'a body', 'x'.repeat(20_000)])(
    'reports the status and body of a refused handshake',
    async (body) => {
      answer = () => `HTTP/1.1 401 Unauthorized\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
      connectToScript();
      await ended();
      expect(log).toHaveLength(1);
      // A long body is cut.
      expect(`refused 401 Unauthorized ${body}`).toContain(log[0]);
    },
  );

  it('shows the reason of a refusal', async () => {
    const refusal = JSON.stringify({ type: 'error', code: 'starting', reason: 'The server is starting.' });
    answer = () => `HTTP/1.1 503 Service Unavailable\r\nContent-Length: ${refusal.length}\r\n\r\n${refusal}`;
    const onClose = vi.fn();
    const none = () => undefined;
    connectToScript().destroy();
    connectServer(
      { url: scriptUrl(), token: null, secret: null },
      { onOpen: none, onMessage: none, onHeard: none, onClose },
    );
    await vi.waitFor(() => expect(onClose).toHaveBeenCalledWith(4503, 'The server is starting.'));
  });

  it('reports an address without a server', async () => {
    connect('ws://127.0.0.1:1/');
    await ended();
    expect(log).toEqual([expect.stringMatching(/^close 1006 .*ECONNREFUSED/)]);
  });

  it('calls no handler after its own close, which the server sees as a clean one', async () => {
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
    await once(server, 'listening');
    const closed = new Promise((resolve) =>
      server.on('connection', (socket) => socket.on('close', (code) => resolve(code))),
    );
    connect(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await vi.waitFor(() => expect(log).toEqual(['open']));
    client.send('last');
    client.close(1000);
    expect(await closed).toBe(1000);
    expect(log).toEqual(['open']);
    server.close();
  });
});
