/**
 * Keeps messages away from this machine and private networks (server-side request forgery). Addresses are checked after
 * the name was resolved and are then connected to, so a name that resolves differently a moment later gains nothing.
 */
import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';

const PRIVATE = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const) {
  PRIVATE.addSubnet(network, prefix, 'ipv4');
}
for (const [network, prefix] of [
  ['::', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const) {
  PRIVATE.addSubnet(network, prefix, 'ipv6');
}

export class PrivateAddressError extends Error {
  override readonly name = 'PrivateAddressError';

  constructor() {
    super(
      'The address is private or on this machine. Set BAROGRAPH_ALERT_PRIVATE_TARGETS=on to allow such receivers.',
    );
  }
}

/** Whether an IP address is on this machine, in a private network, or not of one receiver. */
function isPrivateAddress(address: string): boolean {
  // The block list also matches IPv4 rules against IPv4-mapped IPv6 addresses.
  return PRIVATE.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/**
 * Resolve a host name or an address, also in brackets.
 * @throws PrivateAddressError if any of its addresses is private; the resolver's error for an unknown name
 */
export async function resolvePublic(
  host: string,
  allowPrivate: boolean,
): Promise<{ address: string; family: number }> {
  const found = await lookup(host.replace(/^\[(.*)\]$/, '$1'), { all: true });
  if (!allowPrivate && found.some(({ address }) => isPrivateAddress(address)))
    throw new PrivateAddressError();
  const [first] = found;
  if (!first) throw new Error('The name has no address.');
  return first;
}
