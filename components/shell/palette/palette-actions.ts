import type { PressureState } from '@/core/accounting/types';
import type { CommandAction } from '@/core/protocol/commands';
import { parseMoment } from '../../format/parse-moment';
import { DENSITIES, LOCAL_ZONE, type Preferences, THEMES } from '../../preferences/preferences';
import { bestMatches } from './fuzzy';
import { readMessage, SAY_TEXT, VERB_TEXT } from './palette-verbs';

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
  /** Firing alerts without acknowledgement; on a session's page those of the session. */
  alerts: readonly { id: string; name: string }[];
  /** Whether the viewer may acknowledge, mute and send commands. */
  canOperate: boolean;
  /** Actions that the runners of the displayed session carry out; none on other pages. */
  commands: readonly CommandAction[];
  act: {
    prefer: (part: Partial<Preferences>) => unknown;
    copyLink: () => unknown;
    /** Other parameters of the same page; empty: none. */
    show: (search: string) => unknown;
    go: (href: string) => unknown;
    help: () => unknown;
    acknowledge: (ids: readonly string[]) => unknown;
    mute: (session: string) => unknown;
    /** Open the dialog of commands for the displayed session. */
    command: (action: CommandAction, text: string) => unknown;
    /** Replace the typed text, for a verb that needs an object. */
    type: (text: string) => unknown;
  };
  /** Zone of a typed time, and the current time in milliseconds. */
  zone: string;
  now: number;
}

const STATES: readonly (readonly [PressureState, string])[] = [
  ['redlined', 'sessions over their limit'],
  ['critical', 'critical sessions'],
  ['warning', 'sessions at warning'],
  ['elevated', 'elevated sessions'],
];

export function paletteActions(situation: PaletteSituation): PaletteAction[] {
  const { preferences, pathname, query, act } = situation;
  const prefer = (name: string, keywords: string, part: Partial<Preferences>): PaletteAction => ({
    name,
    keywords,
    run: () => act.prefer(part),
    checked: Object.entries(part).every(([key, value]) => preferences[key as keyof Preferences] === value),
  });
  const { localZone } = preferences;
  const all: PaletteAction[] = [
    ...pageActions(situation),
    ...alertActions(situation),
    ...commandActions(situation),
    ...STATES.map(([state, words]) => ({
      name: `Show ${words}`,
      keywords: 'fleet filter state',
      run: () => act.go(`/?state=${state}`),
    })),
    {
      name: 'Open archive…',
      keywords: 'transcript latest newest of session lost',
      run: () => act.type(VERB_TEXT.archive),
    },
    { name: 'Copy link to this view', keywords: 'url address share', run: act.copyLink },
    ...THEMES.map((theme) => prefer(`Theme: ${theme}`, 'colour mode appearance', { theme })),
    ...DENSITIES.map((density) => prefer(`Rows: ${density}`, 'density height', { density })),
    prefer(`Times: browser${localZone === null ? '' : ` (${localZone})`}`, 'time zone clock local', {
      zone: LOCAL_ZONE,
    }),
    prefer('Times: UTC', 'time zone clock', { zone: 'UTC' }),
    {
      name: pathname.startsWith('/sessions/') ? 'Compare with…' : 'Compare two sessions',
      keywords: 'compare with this session another one two beside side by side choose contexts',
      run: () => (pathname.startsWith('/sessions/') ? act.type(VERB_TEXT.compare) : act.go('/compare')),
    },
    { name: 'Show keyboard shortcuts', keywords: 'help shortcuts keyboard', run: act.help },
  ];
  return bestMatches(all, query);
}

function alertActions({ pathname, alerts, canOperate, act }: PaletteSituation): PaletteAction[] {
  const session = pathname.startsWith('/sessions/') ? pathname.split('/')[2] : undefined;
  const actions = alerts.map(
    ({ id, name }): PaletteAction => ({
      name: `Acknowledge ${name}`,
      keywords: 'alert firing',
      run: () => act.acknowledge([id]),
    }),
  );
  if (alerts.length > 1) {
    actions.unshift({
      name: `Acknowledge ${alerts.length} alerts`,
      keywords: 'all firing',
      run: () => act.acknowledge(alerts.map(({ id }) => id)),
    });
  }
  if (session !== undefined && canOperate) {
    actions.push({
      name: 'Mute this session for an hour',
      keywords: 'alert silence snooze',
      run: () => act.mute(session),
    });
  }
  return actions;
}

const COMMAND_NAMES: Readonly<Record<Exclude<CommandAction, 'say'>, string>> = {
  checkpoint: 'Checkpoint this session',
  restart: 'Restart this session',
  compact: 'Compact this session',
  stop: 'Stop this session',
};

function commandActions({ commands, query, act }: PaletteSituation): PaletteAction[] {
  return commands.map((action): PaletteAction => {
    const keywords = 'command runner agent send';
    if (action !== 'say')
      return { name: COMMAND_NAMES[action], keywords, run: () => act.command(action, '') };
    const message = readMessage(query) ?? '';
    if (message === '')
      return { name: 'Say…', keywords: `${keywords} message`, run: () => act.type(SAY_TEXT) };
    return { name: `Say “${message}”`, keywords: query, run: () => act.command('say', message) };
  });
}

const CLOCK = /(?:^|\s)(?:at |to )?(\d{1,2}[:.]\d\d(?:[:.]\d\d)?)$/;

function pageActions({ pathname, search, query, act, zone, now }: PaletteSituation): PaletteAction[] {
  const params = new URLSearchParams(search);
  const clock = CLOCK.exec(query)?.[1];
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
    const words = `see what happened at clock moment jump ${clock ? query : ''}`;
    add(`Go to ${clock ?? 'a time'} in this session`, words, { time: clock ?? '' });
  } else if (clock !== undefined) {
    const moment = parseMoment(clock, zone, now);
    if (moment !== null) {
      const to = encodeURIComponent(new Date(moment.at + moment.spanMs - 1).toISOString());
      const words = `see what happened at clock moment jump ${query}`;
      actions.push({
        name: `Go to ${clock} in the events`,
        keywords: words,
        run: () => act.go(`/events?to=${to}`),
      });
    }
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
