/** @type {import('next').NextConfig} */
const config = {
  // The server sets every security header itself, and names no software.
  poweredByHeader: false,
  // zlib compresses in its own threads: the event loop that acknowledges turns stays free.
  compress: true,
  reactStrictMode: true,
  // `npm run check` checks the types of the whole project; a newcomer's first start need not wait for it.
  typescript: { ignoreBuildErrors: true },
  // Recharts asks for all of d3-scale; these charts are linear, and the page would load 19 kB more
  // (docs/decisions/0022-session-page-in-parts.md).
  turbopack: { resolveAlias: { 'victory-vendor/d3-scale': './components/charts/linear-scale.ts' } },
  // A browser asks for it wherever it sees no icon yet, as between two pages.
  rewrites: async () => [{ source: '/favicon.ico', destination: '/icon.svg' }],
  // Postgres clients stay outside the page bundles: they are opened once, by server/main.ts.
  serverExternalPackages: ['postgres', 'pino'],
};

export default config;
