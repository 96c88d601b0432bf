/**
 * A WebSocket client (RFC 6455) for text messages, without extensions. Every program with `createClient` contains it, and
 * a library would double that program (docs/decisions/0040).
 */
import { createHash, randomBytes, randomFillSync } from 'node:crypto';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';

export interface WebSocketHandlers {
  onOpen(): void;
  onText(text: string): void;
  /** Called for every frame, including pings. */
  onFrame(): void;
  /** Called once, after which no handler is called. `code` is 1006 if the server sent no close frame. */
  onClose(code: number, detail: string): void;
  /** Called instead of `onClose` if the server answers with another HTTP status than 101. */
  onRefused(status: number, message: string, body: string): void;
}

export interface WebSocketOptions {
  headers: Record<string, string>;
  /** Largest message in bytes. */
  maxBytes: number;
  /** Whether the socket keeps the process alive, also while it connects. */
  keepsAlive: boolean;
}

const OPCODE = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 };
/** The constant of the handshake. */
const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
/** Close code of a connection that was lost. */
export const LOST = 1006;
/** How long a server may take to answer a close frame. */
const CLOSE_TIMEOUT_MS = 5_000;
/** Characters of a refusal's body that are read. */
const MAX_REFUSAL = 10_000;

/** The server broke the protocol. */
class FrameError extends Error {
  constructor(
    readonly code: 1002 | 1007 | 1009,
    message: string,
  ) {
    super(message);
  }
}

export class WebSocketClient {
  #line: Socket | null = null;
  #isOpen = false;
  #isOver = false;
  #keepsAlive: boolean;
  readonly #request: ReturnType<typeof requestHttp>;
  readonly #read: (chunk: Buffer) => void;

  /** @param url of scheme ws or wss. */
  constructor(
    url: string,
    { headers, maxBytes, keepsAlive }: WebSocketOptions,
    private readonly handlers: WebSocketHandlers,
  ) {
    this.#keepsAlive = keepsAlive;
    this.#read = createFrameReader(maxBytes, (opcode, payload) => this.#take(opcode, payload));
    const key = randomBytes(16).toString('base64');
    const send = url.startsWith('wss:') ? requestHttps : requestHttp;
    this.#request = send(url.replace(/^ws/, 'http'), {
      agent: false,
      headers: {
        ...headers,
        Connection: 'Upgrade',
        Upgrade: 'websocket',
        'Sec-WebSocket-Version': '13',
        'Sec-WebSocket-Key': key,
      },
    });
    this.#request.on('socket', (line) => {
      this.#line = line;
      this.keepAlive(this.#keepsAlive);
    });
    this.#request.on('response', (response) => {
      const { statusCode = 0, statusMessage = '' } = response;
      let body = '';
      const end = () => {
        if (!this.#isOver) handlers.onRefused(statusCode, statusMessage, body);
        this.destroy();
      };
      response.setEncoding('utf8').on('data', (text: string) => {
        body += text;
        if (body.length > MAX_REFUSAL) end();
      });
      response.on('error', end).on('end', end);
    });
    this.#request.on('upgrade', (response, line, head) => this.#open(response, key, line as Socket, head));
    // Node reports several refused addresses as one error without a message.
    this.#request.on('error', (error: NodeJS.ErrnoException) =>
      this.#end(LOST, error.message || error.code || 'The connection failed.'),
    );
    this.#request.end();
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  keepAlive(on: boolean): void {
    this.#keepsAlive = on;
    if (on) this.#line?.ref();
    else this.#line?.unref();
  }

  /** Sends a message if the socket is open. */
  send(text: string): void {
    if (this.#isOpen) this.#write(OPCODE.text, Buffer.from(text));
  }

  /** Ends the connection; no handler is called afterwards. */
  close(code: number): void {
    if (this.#isOpen) this.#finish(code);
    else this.destroy();
    this.#isOver = true;
  }

  /** Ends the connection without a close frame; no handler is called afterwards. */
  destroy(): void {
    this.#isOver = true;
    this.#isOpen = false;
    this.#request.destroy();
    this.#line?.destroy();
  }

  #open({ headers }: IncomingMessage, key: string, line: Socket, head: Buffer): void {
    const accept = createHash('sha1').update(`${key}${GUID}`).digest('base64');
    if (headers['sec-websocket-accept'] !== accept || headers.upgrade?.toLowerCase() !== 'websocket') {
      this.#fail(LOST, 'The server did not answer as a WebSocket server.');
      return;
    }
    if (this.#isOver) return;
    this.#isOpen = true;
    line.setNoDelay();
    line.on('data', (chunk) => this.#receive(chunk));
    line.on('error', (error) => this.#end(LOST, error.message));
    line.on('close', () => this.#end(LOST, 'The connection was closed.'));
    this.handlers.onOpen();
    if (head.length > 0) this.#receive(head);
  }

  #receive(chunk: Buffer): void {
    if (!this.#isOpen) return;
    try {
      this.#read(chunk);
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      this.#fail(error.code, error.message);
    }
  }

  #take(opcode: number, payload: Buffer): void {
    if (this.#isOver) return;
    this.handlers.onFrame();
    if (opcode === OPCODE.text) this.handlers.onText(readUtf8(payload));
    else if (opcode === OPCODE.ping) this.#write(OPCODE.pong, payload);
    else if (opcode === OPCODE.close) {
      if (payload.length === 1) throw new FrameError(1002, 'The server sent an incomplete close code.');
      const code = payload.length === 0 ? 1005 : payload.readUInt16BE(0);
      const reason = readUtf8(payload.subarray(2));
      if (this.#isOpen) this.#finish(payload.length === 0 ? 1000 : code);
      this.#end(code, reason || 'The connection was closed.');
    }
  }

  #fail(code: number, detail: string): void {
    if (this.#isOpen) this.#finish(code);
    else this.#request.destroy();
    this.#end(LOST, detail);
    this.#line?.destroySoon();
  }

  /** Sends a close frame and ends this side of the connection. */
  #finish(code: number): void {
    const payload = Buffer.alloc(2);
    payload.writeUInt16BE(code);
    this.#write(OPCODE.close, payload);
    this.#isOpen = false;
    this.#line?.end();
    this.#line?.setTimeout(CLOSE_TIMEOUT_MS, () => this.#line?.destroy());
  }

  #end(code: number, detail: string): void {
    this.#isOpen = false;
    if (this.#isOver) return;
    this.#isOver = true;
    this.handlers.onClose(code, detail);
  }

  #write(opcode: number, payload: Buffer): void {
    this.#line?.write(maskedFrame(opcode, payload));
  }
}

/** A final frame of a client: its payload is masked. */
function maskedFrame(opcode: number, payload: Buffer): Buffer {
  const { length } = payload;
  const head = length < 126 ? 2 : length < 65_536 ? 4 : 10;
  const frame = Buffer.allocUnsafe(head + 4 + length);
  frame[0] = 0x80 | opcode;
  frame[1] = 0x80 | (head === 2 ? length : head === 4 ? 126 : 127);
  if (head === 4) frame.writeUInt16BE(length, 2);
  if (head === 10) frame.writeBigUInt64BE(BigInt(length), 2);
  const mask = randomFillSync(frame.subarray(head, head + 4));
  for (let index = 0; index < length; index += 1) {
    frame[head + 4 + index] = (payload[index] as number) ^ (mask[index & 3] as number);
  }
  return frame;
}

/**
 * Cuts a server's bytes into frames, and joins the fragments of a message.
 * @param take gets each whole message and each control frame.
 * @returns a function that takes the next bytes, and throws a FrameError if they break the protocol.
 */
function createFrameReader(maxBytes: number, take: (opcode: number, payload: Buffer) => void) {
  let chunks: Buffer[] = [];
  let held = 0;
  let needed = 2;
  /** Null: no message is incomplete. */
  let opened: { opcode: number; parts: Buffer[]; bytes: number } | null = null;

  const checkSize = (bytes: number): void => {
    if (bytes > maxBytes) throw new FrameError(1009, `The server sent more than ${maxBytes} bytes.`);
  };
  const takeFrame = (first: number, payload: Buffer): void => {
    const [opcode, isFinal] = [first & 0x0f, first >= 0x80];
    if (opcode >= OPCODE.close) {
      take(opcode, payload);
      return;
    }
    if ((opcode === OPCODE.continuation) !== (opened !== null)) {
      throw new FrameError(1002, 'The server sent message fragments out of order.');
    }
    const message = opened ?? { opcode, parts: [], bytes: 0 };
    message.parts.push(payload);
    message.bytes += payload.length;
    checkSize(message.bytes);
    opened = isFinal ? null : message;
    if (isFinal) take(message.opcode, Buffer.concat(message.parts));
  };

  return (chunk: Buffer): void => {
    chunks.push(chunk);
    held += chunk.length;
    while (held >= needed) {
      const bytes = Buffer.concat(chunks);
      const [first, second] = [bytes.readUInt8(0), bytes.readUInt8(1)];
      checkHead(first, second);
      const head = second < 126 ? 2 : second === 126 ? 4 : 10;
      const length = held < head ? 0 : lengthOf(bytes, head);
      checkSize(length);
      needed = head + length;
      chunks = [bytes];
      if (held < needed) return;
      const rest = bytes.subarray(needed);
      const payload = bytes.subarray(head, needed);
      chunks = [rest];
      held = rest.length;
      needed = 2;
      takeFrame(first, payload);
    }
  };
}

function lengthOf(bytes: Buffer, head: number): number {
  if (head === 2) return bytes.readUInt8(1);
  return head === 4 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
}

/** Checks the first two bytes of a frame: flags and opcode, mask and length. */
function checkHead(first: number, second: number): void {
  const opcode = first & 0x0f;
  const isControl = opcode >= OPCODE.close;
  const isKnown = Object.values(OPCODE).includes(opcode);
  if ((first & 0x70) !== 0 || !isKnown || second >= 0x80 || (isControl && (first < 0x80 || second > 125))) {
    throw new FrameError(1002, 'The server sent an invalid frame.');
  }
}

function readUtf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new FrameError(1007, 'The server sent a text that is not UTF-8.');
  }
}
