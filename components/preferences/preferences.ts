/** The viewer's preferences in one cookie, so that the server's first paint is right. Invalid values are ignored. */
import { MOST_AUTHOR_CHARACTERS } from '@/core/notes/limits';
import { isTimeZone } from '@/core/time/zone-offset';
import { DEFAULT_RANGE, RANGE_NAMES, type RangeName } from '../format/range-names';

export const PREFERENCES_COOKIE = 'barograph-preferences';

export const THEMES = ['system', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];

export const DENSITIES = ['comfortable', 'compact'] as const;
type Density = (typeof DENSITIES)[number];

export const LOCAL_ZONE = 'local';

export interface Preferences {
  theme: Theme;
  density: Density;
  /** `local`, `UTC` or an IANA name. */
  zone: string;
  /** The browser's zone, for the server; null: not known yet. */
  localZone: string | null;
  range: RangeName;
  /** Author of notes; empty: none. */
  author: string;
}

const DEFAULTS: Readonly<Preferences> = {
  theme: 'system',
  density: 'comfortable',
  zone: LOCAL_ZONE,
  localZone: null,
  range: DEFAULT_RANGE,
  author: '',
};

export function readPreferences(cookie: string | undefined): Preferences {
  const params = new URLSearchParams(cookie ?? '');
  const oneOf = <T extends string>(name: string, known: readonly T[], fallback: T): T =>
    known.find((value) => value === params.get(name)) ?? fallback;
  const localZone = params.get('local');
  return {
    theme: oneOf('theme', THEMES, DEFAULTS.theme),
    density: oneOf('density', DENSITIES, DEFAULTS.density),
    zone: readZone(params.get('zone')),
    localZone: localZone !== null && isTimeZone(localZone) ? localZone : null,
    range: oneOf('range', RANGE_NAMES, DEFAULTS.range),
    author: (params.get('author') ?? '').replaceAll(/\p{Cc}/gu, '').slice(0, MOST_AUTHOR_CHARACTERS),
  };
}

function readZone(value: string | null): string {
  return value !== null && value.length <= 100 && isTimeZone(value) ? value : LOCAL_ZONE;
}

/** The cookie's value, not encoded. Defaults are left out. */
export function writePreferences(preferences: Preferences): string {
  const params = new URLSearchParams();
  for (const name of ['theme', 'density', 'zone', 'range', 'author'] as const) {
    if (preferences[name] !== DEFAULTS[name]) params.set(name, preferences[name]);
  }
  if (preferences.localZone !== null) params.set('local', preferences.localZone);
  return params.toString();
}

/** The time zone of the page; UTC until the browser's is known. */
export function shownZone({ zone, localZone }: Preferences): string {
  return zone === LOCAL_ZONE ? (localZone ?? 'UTC') : zone;
}
