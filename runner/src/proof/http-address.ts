/** The address of a path of the server, whatever scheme and base path it was given with. */
export function httpAddress(url: string, path: string): string {
  const parsed = new URL(url);
  const base = parsed.pathname.replace(/\/+$/, '').replace(/\/v1\/ingest$/, '');
  return `${parsed.protocol.replace(/^ws/, 'http')}//${parsed.host}${base}${path}`;
}
