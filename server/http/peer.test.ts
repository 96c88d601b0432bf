import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { readPeer, readProxies } from './peer';

const proxies = readProxies(['10.0.0.2', '10.1.0.0/16', 'fd00::/8']);

function ask(remoteAddress: string, headers: Record<string, string> = {}, more: object = {}) {
  const socket = { remoteAddress, localAddress: '10.0.0.9', ...more };
  return readPeer({ socket, headers } as unknown as IncomingMessage, proxies);
}
const forwarded = (list: string, scheme = 'https') => ({
  'x-forwarded-for': list,
  'x-forwarded-proto': scheme,
});

test.each([
  ['127.0.0.1', {}, { address: '127.0.0.1', scheme: 'http' }],
  ['::ffff:127.0.0.1', {}, { address: '127.0.0.1', scheme: 'http' }],
  // The server's own address: a connection of the same machine.
  ['10.0.0.9', {}, { address: '10.0.0.9', scheme: 'http' }],
  ['10.0.0.2', forwarded('192.0.2.7'), { address: '192.0.2.7', scheme: 'https' }],
  // A client wrote the first address itself.
  ['10.0.0.2', forwarded('127.0.0.1, 192.0.2.7, 10.1.4.4'), { address: '192.0.2.7', scheme: 'https' }],
  ['fd00::1', forwarded('2001:db8::5'), { address: '2001:db8::5', scheme: 'https' }],
  ['10.0.0.2', forwarded('nonsense'), { address: '10.0.0.2', scheme: 'https' }],
])('reads the client behind %s with %j', (address, headers, peer) => {
  expect(ask(address, headers)).toEqual(peer);
});

test.each([
  ['192.0.2.7', {}],
  // Only headers of proxies are trusted.
  ['192.0.2.7', forwarded('127.0.0.1')],
  ['10.0.0.2', {}],
  ['10.0.0.2', forwarded('192.0.2.7', 'http')],
])('refuses plain HTTP from %s with %j', (address, headers) => {
  expect(ask(address, headers)).toMatchObject({ status: 403, code: 'plain_http' });
});

test('admits any address with TLS, and ignores its headers', () => {
  const peer = ask('192.0.2.7', forwarded('127.0.0.1'), { encrypted: true });
  expect(peer).toEqual({ address: '192.0.2.7', scheme: 'https' });
});
