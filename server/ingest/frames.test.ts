/** Frames and handshakes that break a rule of RFC 6455 or RFC 9110: each gets its documented answer. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ConversationServer, GOOD_TOKEN, startConversationServer } from './testing/conversation-server';
import { MemoryStore } from './testing/memory-store';
import { talkOverWebSocket } from './testing/talk';

const MAX_BYTES = 4_096;
let server: ConversationServer;
beforeAll(async () => {
  server = await startConversationServer(new MemoryStore(), { maxFrameBytes: MAX_BYTES });
});
afterAll(() => server.close());

const HEAD = [
  'GET /v1/ingest HTTP/1.1',
  'Host: localhost',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
];
const OPEN = 101;
const PONG = 10;

async function shake(lines: readonly string[], then = Buffer.alloc(0)): Promise<Socket & { text: Buffer }> {
  const socket = Object.assign(connect(Number(new URL(server.url).port), '127.0.0.1'), {
    text: Buffer.alloc(0),
  });
  socket
    .on('error', () => undefined)
    .on('data', (data: Buffer) => {
      socket.text = Buffer.concat([socket.text, data]);
    });
  socket.write(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), then]));
  while (!socket.text.includes('\r\n\r\n') && !socket.closed) await once(socket, 'data');
  return socket;
}

interface Frame {
  first: number;
  payload?: Buffer;
  isMasked?: boolean;
  /** Bytes of the length field after the first seven bits. */
  lengthBytes?: 0 | 2 | 8;
  /** The stated length, if it is not that of the payload. */
  length?: bigint;
}
function encode({
  first,
  payload = Buffer.alloc(0),
  isMasked = true,
  lengthBytes = 0,
  length,
}: Frame): Buffer {
  const stated = length ?? BigInt(payload.length);
  const short = lengthBytes === 0 ? Number(stated) : lengthBytes === 2 ? 126 : 127;
  const head = Buffer.alloc(2 + lengthBytes);
  head[0] = first;
  head[1] = (isMasked ? 0x80 : 0) | short;
  if (lengthBytes === 2) head.writeUInt16BE(Number(stated), 2);
  if (lengthBytes === 8) head.writeBigUInt64BE(stated, 2);
  // A mask of zeros leaves the payload unchanged.
  return Buffer.concat([head, ...(isMasked ? [Buffer.alloc(4)] : []), payload]);
}

/** The code that closes the connection; `PONG`: it is still open after these frames. */
async function send(...frames: Frame[]): Promise<number> {
  const ping = encode({ first: 0x89 });
  const socket = await shake(HEAD, Buffer.concat([...frames.map(encode), ping]));
  try {
    for (;;) {
      let at = socket.text.indexOf('\r\n\r\n') + 4;
      while (at + 2 <= socket.text.length) {
        const short = (socket.text[at + 1] ?? 0) & 127;
        const begin = at + (short === 126 ? 4 : 2);
        const length = short === 126 ? socket.text.readUInt16BE(at + 2) : short;
        if (begin + length > socket.text.length) break;
        const opcode = (socket.text[at] ?? 0) & 15;
        // A pong without a payload answers the ping above.
        if (opcode === PONG && length === 0) return PONG;
        if (opcode === 8) return length < 2 ? 1005 : socket.text.readUInt16BE(begin);
        at = begin + length;
      }
      if (socket.closed) return 1006;
      await Promise.race([once(socket, 'data'), once(socket, 'close')]);
    }
  } finally {
    socket.destroy();
  }
}

type Case = [name: string, expected: number, frames: Frame[]];
const text = (value: string | Buffer, first = 0x81): Frame => {
  const payload = Buffer.from(value as string);
  return { first, payload, lengthBytes: payload.length > 125 ? 2 : 0 };
};
const byte = (value: number) => value.toString(16).padStart(2, '0');

/** Every first byte, masked and not, with a payload that is one digit. */
const firstBytes = Array.from({ length: 256 }, (_, first): Case[] => {
  const [isFinal, reserved, opcode] = [first >= 128, first & 0x70, first & 15];
  const isControl = opcode >= 8 && opcode <= 10;
  const breaks = reserved !== 0 || opcode === 0 || (opcode > 2 && !isControl) || (isControl && !isFinal);
  const payload = Buffer.from(opcode === 8 ? [0x03, 0xe8] : opcode === 9 || opcode === 10 ? 'a' : '5');
  const valid = opcode === 8 ? 1000 : isControl || !isFinal ? PONG : 4400;
  return [
    [`first byte ${byte(first)}`, breaks ? 1002 : valid, [{ first, payload }]],
    [`first byte ${byte(first)}, not masked`, 1002, [{ first, payload, isMasked: false }]],
  ];
}).flat();

const isCloseCode = (code: number) =>
  (code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)) || (code >= 3000 && code < 5000);
const closeCodes = [0, 1, 999, ...Array.from({ length: 20 }, (_, index) => 1000 + index), 1100, 2000, 2999]
  .concat([3000, 3999, 4000, 4400, 4999, 5000, 9999, 65_535])
  .map((code): Case => {
    const payload = Buffer.alloc(2);
    payload.writeUInt16BE(code);
    return [`a close with code ${code}`, isCloseCode(code) ? code : 1002, [{ first: 0x88, payload }]];
  });

const NOT_UTF8 = ['80', 'bf', 'c0af', 'c1bf', 'c3', 'e080af', 'e282', 'eda080', 'edbfbf', 'f0808080']
  .concat(['f08080af', 'f09f98', 'f4908080', 'f5808080', 'f888808080', 'fe', 'ff', 'fffe', '41c3', 'c328'])
  .flatMap((hex): Case[] => {
    const bytes = Buffer.from(hex, 'hex');
    return [
      [`text ${hex}`, 1007, [text(bytes)]],
      [`text ${hex} in two fragments`, 1007, [text(bytes, 0x01), text('', 0x80)]],
      [
        `a close reason ${hex}`,
        1007,
        [{ first: 0x88, payload: Buffer.concat([Buffer.from([3, 232]), bytes]) }],
      ],
    ];
  });

const lengths: Case[] = [
  ...[126, 1_000, MAX_BYTES].map((size): Case => [`${size} bytes`, 4400, [text('x'.repeat(size))]]),
  ...[MAX_BYTES + 1, 60_000].map((size): Case => [`${size} bytes`, 1009, [text('x'.repeat(size))]]),
  ...[2n ** 31n, 2n ** 32n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 63n, 2n ** 64n - 1n].map(
    (length): Case => [`a stated length of ${length}`, 1009, [{ first: 0x81, lengthBytes: 8, length }]],
  ),
  ...[0x88, 0x89, 0x8a].map(
    (first): Case => [
      `a control frame ${byte(first)} of 126 bytes`,
      1002,
      [{ first, payload: Buffer.alloc(126), lengthBytes: 2 }],
    ],
  ),
  ['a close of one byte', 1002, [{ first: 0x88, payload: Buffer.alloc(1) }]],
  ['a close without a code', 1005, [{ first: 0x88 }]],
  ['fragments beyond the limit', 1009, [text('x'.repeat(3_000), 0x01), text('x'.repeat(3_000), 0x80)]],
  ['a second text inside fragments', 1002, [text('[', 0x01), text('5')]],
  ['a binary frame inside fragments', 1002, [text('[', 0x01), text('5', 0x82)]],
  [
    'a ping inside fragments',
    4400,
    [text('[', 0x01), { first: 0x89, payload: Buffer.from('a') }, text(']', 0x80)],
  ],
  [
    '20 000 empty fragments',
    1008,
    [text('[', 0x01), ...Array.from({ length: 20_000 }, () => text('', 0x00))],
  ],
];

const HEADERS: [name: string, status: number, change: (lines: string[]) => string[]][] = [
  ['a correct handshake', OPEN, (lines) => lines],
  ['two equal Host headers', 400, (lines) => [...lines, 'Host: localhost']],
  ['two different Host headers', 400, (lines) => [...lines, 'Host: evil.example']],
  ['a foreign Host before the own', 400, ([get = '', ...rest]) => [get, 'Host: evil.example', ...rest]],
  ['no Host', 400, (lines) => lines.filter((line) => !line.startsWith('Host'))],
  ['a folded header', 400, (lines) => [...lines, 'X-A: 1', ' Host: evil.example']],
  ['a space before a colon', 400, (lines) => [...lines, 'X-A : 1']],
  ['a NUL in a header', 400, (lines) => [...lines, 'X-A: \0']],
  ['two lengths', 400, (lines) => [...lines, 'Content-Length: 1', 'Content-Length: 2']],
  ['a length and an encoding', 400, (lines) => [...lines, 'Content-Length: 1', 'Transfer-Encoding: chunked']],
  ['17 000 bytes of headers', 431, (lines) => [...lines, `X-A: ${'a'.repeat(17_000)}`]],
  ['HTTP/2', 400, ([, ...rest]) => ['PRI * HTTP/2.0', ...rest]],
  ['an absolute target', 400, ([, ...rest]) => ['GET http://localhost/v1/ingest HTTP/1.1', ...rest]],
  ['an unknown path', 404, ([, ...rest]) => ['GET /v1/unknown HTTP/1.1', ...rest]],
  ['%00 in the path', 404, ([, ...rest]) => ['GET /v1/%00 HTTP/1.1', ...rest]],
  ...['POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH'].map((method): (typeof HEADERS)[number] => [
    method,
    405,
    ([, ...rest]) => [`${method} /v1/ingest HTTP/1.1`, ...rest],
  ]),
  ...['', '7', '12', '14', '999', 'abc'].map((version): (typeof HEADERS)[number] => [
    `version "${version}"`,
    400,
    (lines) => [...lines.filter((line) => !line.includes('Version')), `Sec-WebSocket-Version: ${version}`],
  ]),
  ...['', 'short', 'x'.repeat(24), 'dGhlIHNhbXBsZSBub25jZQ', `${'A'.repeat(44)}=`, 'ä'.repeat(22)].map(
    (key): (typeof HEADERS)[number] => [
      `key "${key}"`,
      400,
      (lines) => [...lines.filter((line) => !line.includes('Key')), `Sec-WebSocket-Key: ${key}`],
    ],
  ),
  ...['https://evil.example', 'null', 'http://localhost:1', 'file://', 'http://127.0.0.1'].map(
    (origin): (typeof HEADERS)[number] => [
      `origin ${origin}`,
      403,
      (lines) => [...lines, `Origin: ${origin}`],
    ],
  ),
  ...['evil.example', '0.0.0.0', 'localhost.evil.example', '127.0.0.1.nip.io', '[::2]', '10.0.0.1'].map(
    (host): (typeof HEADERS)[number] => [
      `host ${host}`,
      421,
      (lines) => lines.map((line) => (line.startsWith('Host') ? `Host: ${host}` : line)),
    ],
  ),
];

/** Requests that Node's parser refuses get a status without a body. */
const NOT_HTTP = ['a folded header', 'a space before a colon', 'a NUL in a header', 'two lengths'].concat([
  'a length and an encoding',
  '17 000 bytes of headers',
  'HTTP/2',
]);

const TABLE = /## Close codes and statuses[\s\S]*?## Limits/.exec(
  readFileSync(new URL('../../core/PROTOCOL.md', import.meta.url), 'utf8'),
)?.[0];

/** Whether an answer of `/v1/ingest` is an error of PROTOCOL.md's table, and another path's has the API's shape. */
async function hasCode(socket: Socket & { text: Buffer }, [line = '']: readonly string[]): Promise<boolean> {
  if (!socket.closed) await once(socket, 'close');
  const body = socket.text.toString().split('\r\n\r\n')[1] || 'null';
  const { type, code, reason, error } = JSON.parse(body) ?? {};
  if (!line.includes('/v1/ingest')) return type === undefined && typeof error?.code === 'string';
  return type === 'error' && typeof reason === 'string' && !error && TABLE?.includes(`\`${code}\``) === true;
}

const CASES = [...firstBytes, ...closeCodes, ...NOT_UTF8, ...lengths];

/** A neighbour is served after each group of cases. */
async function expectService(): Promise<void> {
  const stream = '3f8e9a52-7a54-4bfa-9d2a-0a3f3a3f0009';
  const hello = { type: 'hello', v: 1, token: GOOD_TOKEN, project: 'p', runner: { name: 'r' }, stream };
  const item = { type: 'session_end', seq: 1, session: 's', at: 1 };
  expect((await talkOverWebSocket(server.url, JSON.stringify([hello, item]))).ack?.settled).toEqual([[1, 1]]);
}

describe('frames and handshakes', () => {
  test('are at least 600 cases', () => {
    expect(CASES.length + HEADERS.length).toBeGreaterThanOrEqual(600);
  });

  test.each([
    ['first bytes', firstBytes],
    ['close codes', closeCodes],
    ['texts that are not UTF-8', NOT_UTF8],
    ['lengths and fragments', lengths],
  ])('closes with the documented code: %s', async (_what, cases) => {
    const found: string[] = [];
    for (const [name, , frames] of cases) found.push(`${name}: ${await send(...frames)}`);
    expect(found).toEqual(cases.map(([name, expected]) => `${name}: ${expected}`));
    await expectService();
  });

  test('answers handshakes with the documented status and code', async () => {
    const found: string[] = [];
    const wrong: string[] = [];
    for (const [name, , change] of HEADERS) {
      const lines = change([...HEAD]);
      const socket = await shake(lines);
      const status = /^HTTP\/1.1 (\d+)/.exec(socket.text.toString())?.[1];
      found.push(`${name}: ${status}`);
      if (status !== `${OPEN}` && !(await hasCode(socket, lines))) wrong.push(name);
      socket.destroy();
    }
    expect(found).toEqual(HEADERS.map(([name, status]) => `${name}: ${status}`));
    expect(wrong).toEqual(NOT_HTTP);
  });

  test('answers refused requests with the documented code', async () => {
    const wrong: string[] = [];
    for (const [name, , change] of HEADERS) {
      const request = HEAD.filter((line) => !/^(Connection|Upgrade|Sec-)/.test(line));
      const lines = change([...request, 'Connection: close', 'Content-Length: 0']);
      // An answer to HEAD has no body.
      if (lines[0]?.startsWith('HEAD')) continue;
      const socket = await shake(lines);
      if (!(await hasCode(socket, lines))) wrong.push(name);
      socket.destroy();
    }
    expect(wrong).toEqual(NOT_HTTP);
    await expectService();
  });
});
