/** The other end of a connection: whether it is on this machine, behind a trusted proxy, or uses TLS. */
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { isLoopback, type Refusal } from './gate';

/** Written by this server into the request, over whatever a client sent. */
export const ADDRESS_HEADER = 'x-barograph-address';

/** How other machines reach the server. */
export interface Edge {
  publicUrl: URL | null;
  proxies: BlockList;
  /** A second listening socket, with TLS. */
  tls: { host: string; port: number; certFile: string; keyFile: string } | null;
}

interface Peer {
  /** IP address of the client, behind trusted proxies too. */
  address: string;
  scheme: 'http' | 'https';
}

/** @param list IP addresses and networks, as in `10.0.0.2` and `10.0.0.0/24` @throws for other texts */
export function readProxies(list: readonly string[]): BlockList {
  const proxies = new BlockList();
  for (const entry of list) {
    const [address = '', bits] = entry.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) proxies.addAddress(address, family);
    else proxies.addSubnet(address, Number(bits), family);
  }
  return proxies;
}

const isIn = (proxies: BlockList, address: string): boolean =>
  isIP(address) !== 0 && proxies.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');

const plain = (address = ''): string => address.replace(/^::ffff:(?=\d+\.)/, '');

/** The other end of a connection; null: a trusted proxy. */
export function addressOfClient({ remoteAddress }: Socket, proxies: BlockList): string | null {
  const address = plain(remoteAddress);
  return isIn(proxies, address) ? null : address;
}

/** @returns a refusal for plain HTTP from another machine, which would expose passwords and tokens */
export function readPeer({ socket, headers }: IncomingMessage, proxies: BlockList): Peer | Refusal {
  const address = plain(socket.remoteAddress);
  const isEncrypted = (socket as TLSSocket).encrypted === true;
  const forwarded = String(headers['x-forwarded-for'] ?? '').split(',');
  if (isIn(proxies, address) && headers['x-forwarded-for'] !== undefined) {
    // Each proxy appends the address it saw. The last one that is not a proxy is the client's.
    const client = forwarded.map((part) => plain(part.trim())).findLast((part) => !isIn(proxies, part));
    const scheme = String(headers['x-forwarded-proto'] ?? '')
      .split(',')
      .at(-1)
      ?.trim();
    if (scheme === 'https') return { address: client && isIP(client) ? client : address, scheme };
  } else if (isEncrypted) return { address, scheme: 'https' };
  else if (isLoopback(address) || address === plain(socket.localAddress)) return { address, scheme: 'http' };
  return {
    status: 403,
    code: 'plain_http',
    reason:
      'This server is reached over https only. A proxy must be named in BAROGRAPH_TRUSTED_PROXIES, and send X-Forwarded-For and X-Forwarded-Proto.',
  };
}
