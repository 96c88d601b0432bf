/**
 * For tests: a proxy in front of a database, which can be cut, frozen with its connections open, or lose the answer to a
 * COMMIT.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export async function openDatabaseProxy(databaseUrl: string) {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let isFrozen = false;
  let onLostCommit: (() => void) | null = null;
  let server: Server;
  let port = 0;

  async function open(): Promise<void> {
    server = createServer((inner) => {
      const outer = connect(Number(target.port), target.hostname);
      for (const socket of [inner, outer]) {
        sockets.add(socket);
        socket.on('error', () => undefined);
        socket.on('close', () => {
          sockets.delete(socket);
          inner.destroy();
          outer.destroy();
        });
      }
      inner.pipe(outer);
      outer.on('data', (chunk: Buffer) => {
        // PostgreSQL has committed, but its answer is dropped.
        if (onLostCommit && chunk.includes('COMMIT\0')) {
          onLostCommit();
          onLostCommit = null;
          inner.destroy();
          return;
        }
        if (!inner.write(chunk)) outer.pause();
      });
      inner.on('drain', () => {
        if (!isFrozen) outer.resume();
      });
      if (isFrozen) for (const socket of [inner, outer]) socket.pause();
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  }

  await open();
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${port}`;
  return {
    url: url.href,
    /** Accept connections again after `cut`. */
    open,
    /** End all connections, and refuse new ones. */
    async cut(): Promise<void> {
      server.close();
      for (const socket of sockets) socket.destroy();
      if (server.listening) await once(server, 'close');
    },
    /** Cut a connection after its next COMMIT, and drop the answer. Resolves when it is cut. */
    loseCommit: () =>
      new Promise<void>((resolve) => {
        onLostCommit = resolve;
      }),
    /** Forward nothing. */
    freeze(): void {
      isFrozen = true;
      for (const socket of sockets) socket.pause();
    },
    /** Forward everything that was sent meanwhile. */
    thaw(): void {
      isFrozen = false;
      for (const socket of sockets) socket.resume();
    },
  };
}
