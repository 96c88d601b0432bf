/** The keys of each page, for the help. Keys are separated by spaces. */
type Key = readonly [keys: string, what: string];

interface KeySection {
  title: string;
  keys: readonly Key[];
}

const ROWS: readonly Key[] = [
  ['j k', 'next and previous row'],
  ['Enter', 'open the row'],
  ['Esc', 'leave the row'],
];

/** By the start of the path; `/` is only the fleet. */
const PAGES: ReadonlyArray<KeySection & { path: string }> = [
  {
    path: '/',
    title: 'On the fleet',
    keys: [
      ...ROWS,
      ['w', 'wall or list'],
      ['e', 'explain the row’s next boundary; again: its other numbers, with Shift backwards'],
      ['x', 'select the row to compare'],
      ['c', 'compare the two selected rows'],
      ['← →', 'move an edge of the pressure range, on the barcode; Esc clears it'],
    ],
  },
  {
    path: '/sessions/',
    title: 'On a session',
    keys: [
      ['← →', 'walk the turns, on the barogram or its cache reads; with Shift ten at a time'],
      ['Home End', 'first and last turn'],
      ['n', 'note the moment under the crosshair'],
      ['↑ ↓', 'walk the events or the table of turns'],
      ['← →', 'move an edge of the range, on the strip of contexts'],
      ['Esc', 'hide the crosshair'],
    ],
  },
  {
    path: '/history',
    title: 'On history',
    keys: [
      ['← →', 'move through the buckets'],
      ['Home End', 'first and last bucket'],
      ['Enter', 'zoom into the bucket'],
      ['Esc', 'hide the crosshair'],
    ],
  },
  { path: '/events', title: 'On events', keys: ROWS },
  {
    path: '/transcripts/',
    title: 'On a transcript',
    keys: [
      ['Enter', 'next match in the search field; with Shift the previous one'],
      ['n p', 'next and previous match'],
      ['] [', 'next and previous compaction'],
    ],
  },
  { path: '/transcripts', title: 'On transcripts', keys: ROWS },
];

/** @param commandKey `⌘K` or `Ctrl K` */
export function keysOf(pathname: string, commandKey: string): KeySection[] {
  const isFleet = pathname === '/';
  const own = PAGES.filter(({ path }) => (path === '/' ? isFleet : pathname.startsWith(path))).slice(0, 1);
  const search = isFleet ? 'narrow the list as you type; Esc clears' : 'search sessions';
  return [
    ...own,
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
