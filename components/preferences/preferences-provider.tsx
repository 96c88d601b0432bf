'use client';
import { createContext, use, useEffect, useSyncExternalStore } from 'react';
import { type Preferences, shownZone } from './preferences';
import { createPreferencesStore, type PreferencesStore } from './preferences-store';

const CHANNEL = 'barograph-preferences';

let channel: BroadcastChannel | undefined;
let store: PreferencesStore | undefined;

/** One a tab, made at the first look in a browser. */
function theStore(): PreferencesStore {
  store ??= createPreferencesStore({
    readCookies: () => document.cookie,
    writeCookie: (cookie) => {
      // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing in Firefox and on plain http
      document.cookie = cookie;
    },
    show: showOnRoot,
    announce: (kept) => channel?.postMessage(kept),
    localZone: () => new Intl.DateTimeFormat().resolvedOptions().timeZone,
  });
  return store;
}

/** As the server renders it (app/layout.tsx). */
function showOnRoot({ theme, density }: Preferences): void {
  const { dataset } = document.documentElement;
  if (theme === 'system') delete dataset.theme;
  else dataset.theme = theme;
  if (density === 'comfortable') delete dataset.density;
  else dataset.density = density;
}

const ServerPreferences = createContext<Preferences | null>(null);

/** @param initial what the server read of the cookie and rendered with */
export function PreferencesProvider({
  initial,
  children,
}: {
  initial: Preferences;
  children: React.ReactNode;
}) {
  useEffect(() => {
    const preferences = theStore();
    // Kept for the next request, so that the server's first paint has the viewer's times.
    if (initial.localZone !== preferences.get().localZone) preferences.change({});
    const readAgain = () => preferences.readAgain();
    channel = new BroadcastChannel(CHANNEL);
    channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
      if (typeof data === 'string') preferences.hear(data);
    });
    window.addEventListener('pageshow', readAgain);
    document.addEventListener('visibilitychange', readAgain);
    return () => {
      channel?.close();
      channel = undefined;
      window.removeEventListener('pageshow', readAgain);
      document.removeEventListener('visibilitychange', readAgain);
    };
  }, [initial]);
  return <ServerPreferences value={initial}>{children}</ServerPreferences>;
}

const subscribe = (listener: () => void) => theStore().subscribe(listener);

/** The viewer's preferences, live. Throws outside of <PreferencesProvider>. */
export function usePreferences(): Preferences {
  const initial = use(ServerPreferences);
  if (initial === null) throw new Error('usePreferences needs <PreferencesProvider> above it');
  return useSyncExternalStore(
    subscribe,
    () => theStore().get(),
    () => initial,
  );
}

/** Changes some of them, in this tab and all others; in a browser only. */
export function changePreferences(part: Partial<Preferences>): void {
  theStore().change(part);
}

/** The zone that times are shown in. */
export function useShownZone(): string {
  const initial = use(ServerPreferences);
  // Outside of the provider (a component on its own) times are in UTC.
  return useSyncExternalStore(
    subscribe,
    () => shownZone(theStore().get()),
    () => (initial === null ? 'UTC' : shownZone(initial)),
  );
}
