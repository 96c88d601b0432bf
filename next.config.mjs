/** @type {import('next').NextConfig} */
const config = {
  // Also collects the files of Next that a server needs, for the package `barograph-server`.
  output: 'standalone',
  // Responses do not name the software.
  poweredByHeader: false,
  // zlib compresses in its own threads: the event loop that acknowledges turns stays free.
  compress: true,
  reactStrictMode: true,
  // No page needs Next to scale images, and the route would be work for any caller.
  images: { unoptimized: true },
  // `npm run check` checks all types, so a first start need not wait for that.
  typescript: { ignoreBuildErrors: true },
  // Recharts imports all of d3-scale, 19 kB, but these charts need only linear scales
  // (docs/decisions/0022-session-page-in-parts.md).
  turbopack: { resolveAlias: { 'victory-vendor/d3-scale': './components/charts/linear-scale.ts' } },
  // Browsers request this path while a page has not named its icon yet.
  rewrites: async () => [{ source: '/favicon.ico', destination: '/icon.svg' }],
  // Postgres clients stay outside the page bundles: they are opened once, by server/main.ts.
  serverExternalPackages: ['postgres', 'pino'],
};

export default config;
