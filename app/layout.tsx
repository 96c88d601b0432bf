import { GeistMono } from 'geist/font/mono';
import { GeistSans } from 'geist/font/sans';
import type { Metadata, Viewport } from 'next';
import { cookies, headers } from 'next/headers';
import { NuqsAdapter } from 'nuqs/adapters/next/app';
import { LiveProvider } from '@/components/data/live-provider';
import { QueryProvider } from '@/components/data/query-provider';
import { WhyHost } from '@/components/explain/why-host';
import { PREFERENCES_COOKIE, readPreferences } from '@/components/preferences/preferences';
import { PreferencesProvider } from '@/components/preferences/preferences-provider';
import { PlainPage, TopBar } from '@/components/shell/top-bar';
import { personOf } from '@/core/identity/roles';
import { getViewer } from '@/db/shared-client';
// All style sheets belong to every page: a link would preload another page's sheet, and browsers warn of unused ones.
import './globals.css';
import '@/components/charts/chart.css';
import '@/components/explain/explain.css';
import '@/components/features/fleet/fleet.css';
import '@/components/features/fleet/wall/wall.css';
import '@/components/features/transcripts/conversation/conversation.css';

export const metadata: Metadata = {
  title: { default: 'Barograph', template: '%s · Barograph' },
  description: 'The context pressure of an agent fleet, recorded live.',
};

export const viewport: Viewport = {
  colorScheme: 'light dark',
  themeColor: [
    { media: '(prefers-color-scheme: light)', color: '#faf8f3' },
    { media: '(prefers-color-scheme: dark)', color: '#0f1317' },
  ],
};

export default async function RootLayout({ children }: { children: React.ReactNode }) {
  // Reading cookies first keeps the build, which has no database, from rendering the page.
  const cookie = (await cookies()).get(PREFERENCES_COOKIE)?.value;
  const { viewer } = getViewer();
  const person = personOf(viewer);
  const stored = person?.preferences ?? cookie;
  const preferences = readPreferences(stored);
  const { theme, density } = preferences;
  const isMac = /Mac|iP(hone|ad)/.test((await headers()).get('user-agent') ?? '');
  return (
    <html
      lang="en"
      className={`${GeistSans.variable} ${GeistMono.variable}`}
      {...(theme === 'system' ? {} : { 'data-theme': theme })}
      {...(density === 'comfortable' ? {} : { 'data-density': density })}
      {...(person && { 'data-account': '' })}
    >
      <body>
        <a
          href="#content"
          className="absolute top-0 left-0 z-50 -translate-y-full bg-ink px-3 py-2 text-paper focus:translate-y-0"
        >
          Skip to content
        </a>
        <PreferencesProvider
          initial={preferences}
          viewer={{ account: person?.name ?? null, grants: viewer?.grants ?? [] }}
        >
          <QueryProvider>
            <NuqsAdapter>
              {viewer === null ? (
                <PlainPage>{children}</PlainPage>
              ) : (
                <LiveProvider renderedAt={Date.now()}>
                  <TopBar isMac={isMac} />
                  <main id="content" tabIndex={-1} className="outline-none">
                    {children}
                  </main>
                  <WhyHost />
                </LiveProvider>
              )}
            </NuqsAdapter>
          </QueryProvider>
        </PreferencesProvider>
      </body>
    </html>
  );
}
