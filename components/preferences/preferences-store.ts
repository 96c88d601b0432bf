/**
 * The viewer's preferences in this tab. The cookie stores them; this holds the last read, notifies the page and the other
 * tabs of a change, and reads again when this tab becomes visible.
 */
import { PREFERENCES_COOKIE, type Preferences, readPreferences, writePreferences } from './preferences';

const YEAR_S = 365 * 24 * 60 * 60;

/** What the store needs of a browser. */
export interface PreferencesEnvironment {
  /** As `document.cookie` reads. */
  readCookies(): string;
  /** As `document.cookie` takes it. */
  writeCookie(cookie: string): void;
  /** What the page shows of preferences outside of React: theme and density of its root. */
  show(preferences: Preferences): void;
  /** To the other tabs: what is kept now. Their view of the cookie may lag behind. */
  announce(kept: string): void;
  /** The browser's own zone. */
  localZone(): string;
}

export interface PreferencesStore {
  /** The same object as long as nothing changed. */
  get(): Preferences;
  subscribe(listener: () => void): () => void;
  change(part: Partial<Preferences>): void;
  /** Another tab announced this. */
  hear(kept: string): void;
  /** Another tab may have changed them unheard. */
  readAgain(): void;
}

export function createPreferencesStore(environment: PreferencesEnvironment): PreferencesStore {
  const listeners = new Set<() => void>();
  let kept: string | undefined;
  let held = read(cookieNamed(environment.readCookies(), PREFERENCES_COOKIE));

  function read(text: string | undefined): Preferences {
    kept = text;
    // The browser's zone is asked and not remembered: it may have travelled.
    return { ...readPreferences(kept), localZone: environment.localZone() };
  }

  function take(next: Preferences): void {
    held = next;
    environment.show(next);
    for (const listener of listeners) listener();
  }

  return {
    get: () => held,
    subscribe(listener) {
      // Wrapped, so that one function may listen twice and leave once.
      const entry = () => listener();
      listeners.add(entry);
      return () => void listeners.delete(entry);
    },
    change(part) {
      const next = { ...held, ...part };
      kept = writePreferences(next);
      environment.writeCookie(
        `${PREFERENCES_COOKIE}=${encodeURIComponent(kept)}; path=/; max-age=${YEAR_S}; samesite=lax`,
      );
      take(next);
      environment.announce(kept);
    },
    hear(text) {
      if (text !== kept) take(read(text));
    },
    readAgain() {
      const text = cookieNamed(environment.readCookies(), PREFERENCES_COOKIE);
      if (text !== kept) take(read(text));
    },
  };
}

/** Decoded; undefined where there is none, or it is no text. */
function cookieNamed(cookies: string, name: string): string | undefined {
  const pair = cookies.split('; ').find((cookie) => cookie.startsWith(`${name}=`));
  if (pair === undefined) return undefined;
  try {
    return decodeURIComponent(pair.slice(name.length + 1));
  } catch {
    return undefined;
  }
}
