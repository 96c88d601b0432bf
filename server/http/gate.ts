/**
 * Check of Host and Origin, the first step of every request and upgrade.
 *
 * A page of another site can send a browser here, so the address of the socket proves nothing. The Host must be a
 * loopback name (a rebound DNS name is not) or the server's public name, and a page must be of this origin. Programs send neither Origin nor
 * Sec-Fetch headers; they send a token to the endpoint.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { GateCode } from '../../core/protocol/messages';

const LOOPBACK_V4 =
  /^127\.(25[0-5]|2[0-4]\d|1?\d?\d)\.(25[0-5]|2[0-4]\d|1?\d?\d)\.(25[0-5]|2[0-4]\d|1?\d?\d)$/;

export function isLoopback(host: string): boolean {
  const name = host.toLowerCase();
  return name === 'localhost' || name === '::1' || LOOPBACK_V4.test(name);
}

/** Host as written in a URL: IPv6 addresses in brackets. */
export function hostInUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

export interface Refusal {
  status: number;
  code: GateCode;
  reason: string;
}

/**
 * Null: the request may pass. Any port of a loopback name is accepted, because a tunnel changes the port.
 * @param scheme as the client used it
 * @param publicUrl null: the server has only loopback names
 */
export function checkOrigin(
  headers: IncomingHttpHeaders,
  scheme: 'http' | 'https' = 'http',
  publicUrl: URL | null = null,
): Refusal | null {
  const { host } = headers;
  const url = host === undefined ? null : parseAuthority(host, scheme);
  if (host === undefined || url === null) {
    return { status: 400, code: 'bad_host', reason: 'The request has no valid Host header.' };
  }
  if (url.origin !== publicUrl?.origin && !isLoopback(url.hostname.replace(/^\[(.*)\]$/, '$1'))) {
    const names = publicUrl === null ? '' : `${publicUrl.origin}, `;
    return {
      status: 421,
      code: 'foreign_host',
      reason: `This server answers to ${names}127.0.0.1, [::1] and localhost only.`,
    };
  }
  if (isForeignPage(headers, url)) {
    return {
      status: 403,
      code: 'foreign_origin',
      reason: 'Requests from pages of another origin are refused.',
    };
  }
  return null;
}

function isForeignPage(headers: IncomingHttpHeaders, own: URL): boolean {
  const { origin } = headers;
  if (origin !== undefined && origin !== own.origin) return true;
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return false;
  // A link to this server is allowed; an image, script or fetch of another origin is not. Another port of this machine
  // counts as the same site, but is another origin.
  return headers['sec-fetch-mode'] !== 'navigate' || headers['sec-fetch-dest'] !== 'document';
}

function parseAuthority(host: string, scheme: string): URL | null {
  if (!/^[a-z0-9.:[\]-]+$/i.test(host)) return null;
  try {
    return new URL(`${scheme}://${host}`);
  } catch {
    return null;
  }
}
