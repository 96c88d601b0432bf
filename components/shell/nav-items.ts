/** The pages and their keys, for navigation and help. */

/** Keys are separated by spaces. */
type Key = readonly [keys: string, what: string];

interface KeySection {
  title: string;
  keys: readonly Key[];
}

type NavItem = { href: string; name: string } & (KeySection | { keys?: never });

const ROWS: readonly Key[] = [
  ['j k', 'next and previous row'],
  ['Enter', 'open the row'],
  ['Esc', 'leave the row'],
];

export const NAV_ITEMS: readonly NavItem[] = [
  {
    href: '/',
    name: 'Fleet',
    title: 'On the fleet',
    keys: [
      ...ROWS,
      ['w', 'wall or list'],
      ['e', 'explain the row’s next boundary, then its other numbers; with Shift backwards'],
      ['x', 'select the row, to compare or to send commands'],
      ['c', 'compare the two selected rows'],
      ['← →', 'on the barcode: move an edge of the pressure range; Esc clears it'],
    ],
  },
  { href: '/events', name: 'Events', title: 'On events', keys: ROWS },
  { href: '/alerts', name: 'Alerts', title: 'On alerts', keys: ROWS },
  {
    href: '/history',
    name: 'History',
    title: 'On history',
    keys: [
      ['← →', 'move through the buckets'],
      ['Home End', 'first and last bucket'],
      ['Enter', 'zoom into the bucket'],
      ['Esc', 'hide the crosshair'],
    ],
  },
  { href: '/transcripts', name: 'Transcripts', title: 'On transcripts', keys: ROWS },
  { href: '/connect', name: 'Connect' },
  { href: '/settings', name: 'Settings' },
];

/** Keys of pages that are not in the bar, by the start of the path. */
const SUBPAGES: readonly (KeySection & { href: string })[] = [
  {
    href: '/sessions/',
    title: 'On a session',
    keys: [
      ['← →', 'on a chart: move through turns; with Shift by ten'],
      ['Home End', 'first and last turn'],
      ['n', 'add a note at the crosshair'],
      ['↑ ↓', 'in a list: move through events or turns'],
      ['← →', 'on the strip of contexts: move an edge of the range'],
      ['Esc', 'hide the crosshair'],
    ],
  },
  {
    href: '/transcripts/',
    title: 'On a transcript',
    keys: [
      ['Enter', 'next match in the search field; with Shift the previous one'],
      ['n p', 'next and previous match'],
      ['] [', 'next and previous compaction'],
    ],
  },
];

/** The item of a path. Sessions and comparisons belong to the fleet. */
export function activeNavItem(pathname: string): string | null {
  const root = `/${pathname.split('/')[1]}`;
  return (
    NAV_ITEMS.find(({ href }) => href === (/^\/(compare|sessions)$/.test(root) ? '/' : root))?.href ?? null
  );
}

/** @param commandKey `⌘K` or `Ctrl K` */
export function keysOf(pathname: string, commandKey: string): KeySection[] {
  const isFleet = pathname === '/';
  const own = [...SUBPAGES, ...NAV_ITEMS].find(({ href }) =>
    href === '/' ? isFleet : pathname.startsWith(href),
  );
  const search = isFleet ? 'narrow the list as you type; Esc clears' : 'search sessions';
  return [
    ...(own?.keys ? [own] : []),
    {
      title: 'Everywhere',
      keys: [
        [commandKey, 'sessions, pages and actions by name'],
        ['/', search],
        ['?', 'this list'],
      ],
    },
  ];
}
