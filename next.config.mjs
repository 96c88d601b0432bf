/** @type {import('next').NextConfig} */
const config = {
  // The server sets every security header itself, and names no software.
  poweredByHeader: false,
  // gzip on one process would cost the event loop that acknowledges turns; a proxy does it where it pays.
  compress: false,
  reactStrictMode: true,
  // `npm run check` checks the types of the whole project; a newcomer's first start need not wait for it.
  typescript: { ignoreBuildErrors: true },
  // Recharts asks for all of d3-scale; our charts are linear (docs/decisions/0042-what-a-session-page-loads.md).
  turbopack: { resolveAlias: { 'victory-vendor/d3-scale': './components/charts/linear-scale.ts' } },
  // A browser asks for it wherever it sees no icon yet, as between two pages.
  rewrites: async () => [{ source: '/favicon.ico', destination: '/icon.svg' }],
  // Postgres clients stay outside the page bundles: they are opened once, by server/main.ts.
  serverExternalPackages: ['postgres', 'drizzle-orm', 'pino'],
};

export default config;
