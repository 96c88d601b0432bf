'use client';
/**
 * The viewer's preferences in this tab. The account stores them, or a cookie on a server without accounts. A change is
 * announced to the other tabs.
 */
import { createContext, use, useEffect, useSyncExternalStore } from 'react';
import {
  PREFERENCES_COOKIE,
  type Preferences,
  readPreferences,
  shownZone,
  writePreferences,
} from './preferences';
import { type Viewer, ViewerContext } from './viewer';

const YEAR_S = 365 * 24 * 60 * 60;

let held: Preferences | undefined;
/** The stored text from which `held` was read. */
let kept: string | undefined;
/** Whether an account stores the preferences. If so, cookies are ignored, because any program on this machine can set one. */
let isOfAccount = false;
let channel: BroadcastChannel | undefined;
const changes = new EventTarget();

function readCookie(): string | undefined {
  const pair = document.cookie.split('; ').find((cookie) => cookie.startsWith(`${PREFERENCES_COOKIE}=`));
  try {
    return pair && decodeURIComponent(pair.slice(PREFERENCES_COOKIE.length + 1));
  } catch {
    return undefined;
  }
}

/** The browser's current zone replaces the stored one. */
function parse(text: string | undefined): Preferences {
  kept = text;
  return { ...readPreferences(text), localZone: new Intl.DateTimeFormat().resolvedOptions().timeZone };
}

function getPreferences(): Preferences {
  held ??= parse(readCookie());
  return held;
}

/** Apply preferences to the root element, as the server does (app/layout.tsx). */
function show(next: Preferences): void {
  held = next;
  const { dataset } = document.documentElement;
  if (next.theme === 'system') delete dataset.theme;
  else dataset.theme = next.theme;
  if (next.density === 'comfortable') delete dataset.density;
  else dataset.density = next.density;
  changes.dispatchEvent(new Event('change'));
}

/** Apply a change of another tab. The tab's message may arrive before the cookie changes. */
function take(text: string | undefined): void {
  if (text !== kept) show(parse(text));
}

/** Change preferences in all tabs. */
export function changePreferences(part: Partial<Preferences>): void {
  const next = { ...getPreferences(), ...part };
  kept = writePreferences(next);
  if (isOfAccount) {
    const body = JSON.stringify({ preferences: kept });
    const headers = { 'content-type': 'application/json' };
    // After a failure, the next load shows the old preference, which needs no message.
    fetch('/api/v1/me/preferences', { method: 'PATCH', headers, body }).catch(() => undefined);
    announce(next);
    return;
  }
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing in Firefox and on plain http
  document.cookie = `${PREFERENCES_COOKIE}=${encodeURIComponent(kept)}; path=/; max-age=${YEAR_S}; samesite=lax`;
  announce(next);
}

function announce(next: Preferences): void {
  show(next);
  channel?.postMessage(kept);
}

const ServerPreferences = createContext<Preferences | null>(null);

interface PreferencesProviderProps {
  /** The preferences that the server used for the page. */
  initial: Preferences;
  /** The account of the viewer stores the preferences, otherwise a cookie. */
  viewer: Viewer;
  children: React.ReactNode;
}

export function PreferencesProvider({ initial, viewer, children }: PreferencesProviderProps) {
  if (viewer.account !== null && typeof window !== 'undefined' && !isOfAccount) {
    isOfAccount = true;
    held = parse(writePreferences(initial));
  }
  useEffect(() => {
    // The next request sends the zone to the server.
    if (initial.localZone !== getPreferences().localZone) changePreferences({});
    const readAgain = () => (isOfAccount ? undefined : take(readCookie()));
    channel = new BroadcastChannel(PREFERENCES_COOKIE);
    channel.addEventListener('message', ({ data }: MessageEvent<string>) => take(data));
    window.addEventListener('pageshow', readAgain);
    document.addEventListener('visibilitychange', readAgain);
    return () => {
      channel?.close();
      channel = undefined;
      window.removeEventListener('pageshow', readAgain);
      document.removeEventListener('visibilitychange', readAgain);
    };
  }, [initial]);
  return (
    <ViewerContext value={viewer}>
      <ServerPreferences value={initial}>{children}</ServerPreferences>
    </ViewerContext>
  );
}

function subscribe(listener: () => void): () => void {
  changes.addEventListener('change', listener);
  return () => changes.removeEventListener('change', listener);
}

export function usePreferences(): Preferences {
  const initial = use(ServerPreferences);
  if (initial === null) throw new Error('usePreferences needs <PreferencesProvider> above it');
  return useSyncExternalStore(subscribe, getPreferences, () => initial);
}

/** The time zone of the page; UTC outside of the provider. */
export function useShownZone(): string {
  const initial = use(ServerPreferences);
  return useSyncExternalStore(
    subscribe,
    () => shownZone(getPreferences()),
    () => (initial === null ? 'UTC' : shownZone(initial)),
  );
}
