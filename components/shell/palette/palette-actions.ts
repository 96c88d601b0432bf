/** Actions of the palette. */
import {
  DENSITIES,
  type Density,
  LOCAL_ZONE,
  type Preferences,
  THEMES,
  type Theme,
} from '../../preferences/preferences';

export type PaletteEffect =
  | { type: 'prefer'; part: Partial<Preferences> }
  | { type: 'copy-link' }
  /** Other parameters of the page at hand; the empty string: none. */
  | { type: 'query'; search: string }
  | { type: 'go'; href: string }
  | { type: 'help' };

export interface PaletteAction {
  id: string;
  name: string;
  /** Words under which it is found besides its name. */
  keywords: string;
  effect: PaletteEffect;
  /** Already in effect. */
  checked?: boolean;
}

interface PaletteSituation {
  preferences: Preferences;
  pathname: string;
  /** With its question mark, or empty. */
  search: string;
  /** What was typed. */
  query: string;
  /** Names of all zones the platform knows. */
  zones: readonly string[];
}

const THEME_NAME: Record<Theme, string> = {
  system: 'Theme: system',
  light: 'Theme: light',
  dark: 'Theme: dark',
};
const DENSITY_NAME: Record<Density, string> = {
  comfortable: 'Rows: comfortable',
  compact: 'Rows: compact',
};
/** Zones found by name are many: so many are offered. */
const MOST_ZONES = 5;

export function paletteActions(situation: PaletteSituation): PaletteAction[] {
  const { preferences, pathname, search, query, zones } = situation;
  const all: PaletteAction[] = [
    ...pageActions(pathname, search, query),
    {
      id: 'copy-link',
      name: 'Copy link to this view',
      keywords: 'url address share',
      effect: { type: 'copy-link' },
    },
    ...THEMES.map((theme) => ({
      id: `theme-${theme}`,
      name: THEME_NAME[theme],
      keywords: 'colour mode appearance',
      effect: { type: 'prefer', part: { theme } } as const,
      checked: preferences.theme === theme,
    })),
    ...DENSITIES.map((density) => ({
      id: `density-${density}`,
      name: DENSITY_NAME[density],
      keywords: 'density height',
      effect: { type: 'prefer', part: { density } } as const,
      checked: preferences.density === density,
    })),
    zoneAction(LOCAL_ZONE, `Times: browser${inParentheses(preferences.localZone)}`, preferences),
    zoneAction('UTC', 'Times: UTC', preferences),
    {
      id: 'compare-two',
      name: 'Compare two sessions',
      keywords: 'beside side by side choose',
      effect: { type: 'go', href: '/compare' },
    },
    { id: 'help', name: 'Show the keys', keywords: 'help shortcuts keyboard', effect: { type: 'help' } },
  ];
  const found = all.filter(({ name, keywords }) => matchesWords(`${name} ${keywords}`, query));
  return [...found, ...zonesFor(query, zones, preferences)];
}

/** What there is to do with the picture of this page. */
function pageActions(pathname: string, search: string, query: string): PaletteAction[] {
  const params = new URLSearchParams(search);
  const actions: PaletteAction[] = [];
  if (params.has('from') || params.has('to')) {
    const live = new URLSearchParams(search);
    live.delete('from');
    live.delete('to');
    actions.push({
      id: 'follow-live',
      name: 'Follow live',
      keywords: 'now zoom out range open end',
      effect: { type: 'query', search: toSearch(live) },
    });
  }
  if (pathname.startsWith('/sessions/')) actions.push(...sessionActions(pathname, params, query));
  if (pathname !== '/') return actions;
  const isWall = params.get('view') === 'wall';
  const other = new URLSearchParams(search);
  if (isWall) other.delete('view');
  else other.set('view', 'wall');
  actions.push({
    id: 'wall',
    name: isWall ? 'Show the fleet as a list' : 'Show the fleet as a wall',
    keywords: 'view cards screen tv wall list',
    effect: { type: 'query', search: toSearch(other) },
  });
  if ([...params.keys()].some((key) => key !== 'view')) {
    actions.push({
      id: 'clear-filters',
      name: 'Show the whole fleet',
      keywords: 'clear filters reset',
      effect: { type: 'query', search: isWall ? '?view=wall' : '' },
    });
  }
  return actions;
}

const CLOCK = /(?:^|\s)(?:at |to )?(\d{1,2}[:.]\d\d(?:[:.]\d\d)?)$/;

/** A time that is typed is gone to; the session's page finds it on its own days. */
function sessionActions(pathname: string, params: URLSearchParams, query: string): PaletteAction[] {
  const clock = CLOCK.exec(query)?.[1] ?? null;
  const at = new URLSearchParams(params);
  at.set('time', clock ?? '');
  const id = pathname.split('/')[2] ?? '';
  return [
    {
      id: 'go-to-time',
      name: clock === null ? 'Go to a time in this session' : `Go to ${clock} in this session`,
      // Found by the time itself as well.
      keywords: `see what happened at clock moment jump ${clock === null ? '' : query}`,
      effect: { type: 'query', search: toSearch(at) },
    },
    {
      id: 'compare',
      name: 'Compare this session with another one',
      keywords: 'beside side by side two contexts',
      effect: { type: 'go', href: `/compare?a=${id}` },
    },
  ];
}

const toSearch = (params: URLSearchParams): string => (params.size === 0 ? '' : `?${params}`);
const inParentheses = (zone: string | null): string => (zone === null ? '' : ` (${zone})`);

function zoneAction(zone: string, name: string, preferences: Preferences): PaletteAction {
  return {
    id: `zone-${zone}`,
    name,
    keywords: 'time zone clock local',
    effect: { type: 'prefer', part: { zone } },
    checked: preferences.zone === zone,
  };
}

/** Zones by name, once enough was typed to mean one; the one in use is always among them. */
function zonesFor(query: string, zones: readonly string[], preferences: Preferences): PaletteAction[] {
  const words = query.trim().replaceAll(' ', '_');
  if (words.length < 3) return [];
  return zones
    .filter(
      (zone) => zone !== 'UTC' && matchesWords(`times time zone ${zone}`, words.replaceAll('_', ' '), zone),
    )
    .slice(0, MOST_ZONES)
    .map((zone) => zoneAction(zone, `Times: ${zone.replaceAll('_', ' ')}`, preferences));
}

/**
 * Pages that match a query, names with this prefix first.
 * @returns isNamed: there is such a name
 */
export function findPages<Page extends { name: string }>(
  all: readonly Page[],
  query: string,
): { pages: Page[]; isNamed: boolean } {
  const isBegun = ({ name }: Page) => query !== '' && name.toLowerCase().startsWith(query.toLowerCase());
  const found = all.filter(({ name }) => matchesWords(`${name} page`, query));
  const named = found.filter(isBegun);
  return { pages: [...named, ...found.filter((page) => !isBegun(page))], isNamed: named.length > 0 };
}

/**
 * Whether every word of the query begins or lies in the text, in any case.
 * @param must one word at least must lie in this part of it
 */
export function matchesWords(text: string, query: string, must?: string): boolean {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const within = text.toLowerCase();
  if (!words.every((word) => within.includes(word))) return false;
  return must === undefined || words.some((word) => word.length > 2 && must.toLowerCase().includes(word));
}
