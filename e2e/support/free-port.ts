import { createServer } from 'node:net';

const FIRST_PORT = 4780;
const LAST_PORT = 4879;

/** Find the lowest free port from `first` on, in a range without the product's default port. */
export async function findFreePort(first = FIRST_PORT): Promise<number> {
  for (let port = first; port <= LAST_PORT; port += 1) if (await isFree(port)) return port;
  throw new Error(`Every port from ${first} to ${LAST_PORT} is taken.`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
