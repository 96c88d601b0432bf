import { DENSITIES, LOCAL_ZONE, type Preferences, THEMES } from '../../preferences/preferences';

export interface PaletteAction {
  /** Unique in the list. */
  name: string;
  /** Words that find the action in addition to its name. */
  keywords: string;
  run: () => unknown;
  checked?: boolean;
}

interface PaletteSituation {
  preferences: Preferences;
  pathname: string;
  /** The search with its question mark, or empty. */
  search: string;
  query: string;
  act: {
    prefer: (part: Partial<Preferences>) => unknown;
    copyLink: () => unknown;
    /** Other parameters of the same page; empty: none. */
    show: (search: string) => unknown;
    go: (href: string) => unknown;
    help: () => unknown;
  };
}

export function paletteActions(situation: PaletteSituation): PaletteAction[] {
  const { preferences, query, act } = situation;
  const prefer = (name: string, keywords: string, part: Partial<Preferences>): PaletteAction => ({
    name,
    keywords,
    run: () => act.prefer(part),
    checked: Object.entries(part).every(([key, value]) => preferences[key as keyof Preferences] === value),
  });
  const { localZone } = preferences;
  const all: PaletteAction[] = [
    ...pageActions(situation),
    { name: 'Copy link to this view', keywords: 'url address share', run: act.copyLink },
    ...THEMES.map((theme) => prefer(`Theme: ${theme}`, 'colour mode appearance', { theme })),
    ...DENSITIES.map((density) => prefer(`Rows: ${density}`, 'density height', { density })),
    prefer(`Times: browser${localZone === null ? '' : ` (${localZone})`}`, 'time zone clock local', {
      zone: LOCAL_ZONE,
    }),
    prefer('Times: UTC', 'time zone clock', { zone: 'UTC' }),
    {
      name: 'Compare two sessions',
      keywords: 'beside side by side choose',
      run: () => act.go('/compare'),
    },
    { name: 'Show the keys', keywords: 'help shortcuts keyboard', run: act.help },
  ];
  return all.filter(({ name, keywords }) => matchesWords(`${name} ${keywords}`, query));
}

const CLOCK = /(?:^|\s)(?:at |to )?(\d{1,2}[:.]\d\d(?:[:.]\d\d)?)$/;

function pageActions({ pathname, search, query, act }: PaletteSituation): PaletteAction[] {
  const params = new URLSearchParams(search);
  const actions: PaletteAction[] = [];
  /** An action that changes parameters; null removes one. */
  const add = (name: string, keywords: string, change: Record<string, string | null>) => {
    const next = new URLSearchParams(search);
    for (const [key, value] of Object.entries(change)) {
      if (value === null) next.delete(key);
      else next.set(key, value);
    }
    actions.push({ name, keywords, run: () => act.show(next.size === 0 ? '' : `?${next}`) });
  };
  if (params.has('from') || params.has('to')) {
    add('Follow live', 'now zoom out range open end', { from: null, to: null });
  }
  if (pathname.startsWith('/sessions/')) {
    // A typed time finds this action. The session page resolves the time to one of the session's days.
    const clock = CLOCK.exec(query)?.[1];
    const words = `see what happened at clock moment jump ${clock ? query : ''}`;
    add(`Go to ${clock ?? 'a time'} in this session`, words, { time: clock ?? '' });
    actions.push({
      name: 'Compare this session with another one',
      keywords: 'beside side by side two contexts',
      run: () => act.go(`/compare?a=${pathname.split('/')[2]}`),
    });
  }
  if (pathname === '/') {
    const isWall = params.get('view') === 'wall';
    add(`Show the fleet as a ${isWall ? 'list' : 'wall'}`, 'view cards screen tv wall list', {
      view: isWall ? null : 'wall',
    });
    const filters = [...params.keys()].filter((key) => key !== 'view');
    const none = Object.fromEntries(filters.map((key) => [key, null]));
    if (filters.length > 0) add('Show the whole fleet', 'clear filters reset', none);
  }
  return actions;
}

export function matchesWords(text: string, query: string): boolean {
  const words = query.toLowerCase().split(/\s+/);
  return words.every((word) => text.toLowerCase().includes(word));
}
