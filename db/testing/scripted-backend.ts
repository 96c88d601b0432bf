/** For tests: a server that speaks PostgreSQL's protocol, and answers statements with a script. Keeps no data. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** The tag of a completed command, such as `COMMIT`, or the SQLSTATE of an error. */
export type Script = (statement: string) => string | { error: string };

/** Messages of https://www.postgresql.org/docs/current/protocol-message-formats.html. */
function message(type: string, ...parts: (Buffer | string)[]): Buffer {
  const body = Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(`${part}\0`) : part)),
  );
  const head = Buffer.from(`${type}\0\0\0\0`);
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

const isEnd = (statement: string) => /^(commit|rollback)/i.test(statement);
const ready = (status: string) => message('Z', Buffer.from(status));

/**
 * @param forgotten statements that the next transaction does not find by name, as behind a pooler
 * @returns `commits`: the number of transactions that ended with COMMIT
 */
export async function startScriptedBackend(script: Script, forgotten?: RegExp) {
  const backend = { url: '', commits: 0, close };
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.setNoDelay());
    const named = new Map<string, string>();
    let bound = '';
    let status = 'I';
    let fails = false;
    let isStarted = false;
    let bytes = Buffer.alloc(0);

    function fail(code: string, routine: string): void {
      fails = true;
      if (status === 'T') status = 'E';
      const fields = `SERROR\0VERROR\0C${code}\0M${routine}\0R${routine}\0`;
      socket.write(message('E', fields));
    }

    function run(statement: string): void {
      if (/^begin/i.test(statement)) status = 'T';
      const answer = script(statement);
      if (typeof answer !== 'string') {
        fail(answer.error, 'script');
        return;
      }
      const tag = isEnd(statement) && status === 'E' ? 'ROLLBACK' : answer;
      if (tag === 'COMMIT') backend.commits += 1;
      if (isEnd(statement)) {
        status = 'I';
        for (const [name, text] of named) if (forgotten?.test(text)) named.delete(name);
      }
      socket.write(message('C', tag));
    }

    function take(type: string, body: Buffer): void {
      const [first = '', second = ''] = body.toString().split('\0');
      if (type === 'Q') run(first);
      if (type === 'Q' || type === 'S') {
        fails = false;
        socket.write(ready(status));
      }
      // After an error, everything up to the next Sync is ignored.
      if (fails) return;
      if (type === 'P') {
        named.set(first, second);
        socket.write(message('1'));
      } else if (type === 'D') socket.write(Buffer.concat([message('t', Buffer.alloc(2)), message('n')]));
      else if (type === 'B') {
        bound = named.get(second) ?? '';
        if (bound === '') fail('26000', 'FetchPreparedStatement');
        else socket.write(message('2'));
      } else if (type === 'E' && status === 'E' && !isEnd(bound)) fail('25P02', 'exec');
      else if (type === 'E') run(bound);
    }

    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      bytes = Buffer.concat([bytes, chunk]);
      for (;;) {
        const start = isStarted ? 1 : 0;
        if (bytes.length < start + 4) return;
        const end = start + bytes.readUInt32BE(start);
        if (bytes.length < end) return;
        const [type, body] = [String.fromCharCode(bytes[0] ?? 0), bytes.subarray(start + 4, end)];
        bytes = bytes.subarray(end);
        if (isStarted) take(type, body);
        else socket.write(Buffer.concat([message('R', Buffer.alloc(4)), ready('I')]));
        isStarted = true;
      }
    });
  });

  async function close(): Promise<void> {
    server.close();
    for (const socket of sockets) socket.destroy();
    await once(server, 'close');
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  backend.url = `postgres://test@127.0.0.1:${(server.address() as AddressInfo).port}/test`;
  return backend;
}
