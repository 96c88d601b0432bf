/** Security headers of every answer, and the content security policies. */
import type { ServerResponse } from 'node:http';

/** For answers that are not pages: nothing may be loaded, run or framed. */
const DATA_POLICY = "default-src 'none'; frame-ancestors 'none'; sandbox";

/** `host` is the request's own, checked Host header. */
export function pagePolicy(nonce: string, host: string, isDevelopment: boolean): string {
  const script = isDevelopment ? " 'unsafe-eval'" : '';
  const style = isDevelopment ? "'self' 'unsafe-inline'" : `'self' 'nonce-${nonce}'`;
  return [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'${script}`,
    `style-src ${style}`,
    // Charts position elements with style attributes.
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    // Older browsers do not count a WebSocket of the same origin as 'self'.
    `connect-src 'self' ws://${host} wss://${host}`,
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "object-src 'none'",
  ].join('; ');
}

/** A browser that has once reached the server by TLS uses nothing else for a year. */
const TLS_ONLY = 'max-age=31536000';

export function setSecurityHeaders(res: ServerResponse, isSecure = false): void {
  if (isSecure) res.setHeader('Strict-Transport-Security', TLS_ONLY);
  res.setHeader('Content-Security-Policy', DATA_POLICY);
  res.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
  res.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
  res.setHeader('Permissions-Policy', 'camera=(), geolocation=(), microphone=(), payment=(), usb=()');
  res.setHeader('Referrer-Policy', 'no-referrer');
  res.setHeader('X-Content-Type-Options', 'nosniff');
  res.setHeader('X-Frame-Options', 'DENY');
}
