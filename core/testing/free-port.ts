import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

const ATTEMPTS = 100;

/**
 * A free port on loopback, below the ports that systems give to connections and to servers without a port of their own.
 * So nothing takes it while a test has its server stopped. Browsers refuse port 10080.
 */
export async function findFreePort(): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const port = randomInt(11_000, 32_000);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    server.close();
    if (isFree) return port;
  }
  throw new Error(`none of ${ATTEMPTS} ports of 127.0.0.1 could be opened`);
}
