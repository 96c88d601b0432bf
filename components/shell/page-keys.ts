/** The keys of each page, for the help. */

interface KeyHelp {
  keys: readonly string[];
  what: string;
}

export interface KeySection {
  title: string;
  keys: readonly KeyHelp[];
}

const ROWS: readonly KeyHelp[] = [
  { keys: ['j', 'k'], what: 'next and previous row' },
  { keys: ['Enter'], what: 'open the row' },
  { keys: ['Esc'], what: 'leave the row' },
];

const FLEET: KeySection = {
  title: 'On the fleet',
  keys: [
    ...ROWS,
    { keys: ['w'], what: 'wall or list' },
    {
      keys: ['e'],
      what: 'explain the row’s next boundary; again: its other numbers, with Shift backwards',
    },
    { keys: ['x'], what: 'select the row to compare' },
    { keys: ['c'], what: 'compare the two selected rows' },
    { keys: ['←', '→'], what: 'move an edge of the pressure range, on the barcode; Esc clears it' },
  ],
};

const SESSION: KeySection = {
  title: 'On a session',
  keys: [
    {
      keys: ['←', '→'],
      what: 'walk the turns, on the barogram or its cache reads; with Shift ten at a time',
    },
    { keys: ['Home', 'End'], what: 'first and last turn' },
    { keys: ['n'], what: 'note the moment under the crosshair' },
    { keys: ['↑', '↓'], what: 'walk the events or the table of turns' },
    { keys: ['←', '→'], what: 'move an edge of the range, on the strip of contexts' },
    { keys: ['Esc'], what: 'hide the crosshair' },
  ],
};

const HISTORY: KeySection = {
  title: 'On history',
  keys: [
    { keys: ['←', '→'], what: 'move through the buckets' },
    { keys: ['Home', 'End'], what: 'first and last bucket' },
    { keys: ['Enter'], what: 'zoom into the bucket' },
    { keys: ['Esc'], what: 'hide the crosshair' },
  ],
};

const EVENTS: KeySection = { title: 'On events', keys: ROWS };

const TRANSCRIPTS: KeySection = { title: 'On transcripts', keys: ROWS };

const TRANSCRIPT: KeySection = {
  title: 'On a transcript',
  keys: [
    { keys: ['Enter'], what: 'next match in the search field; with Shift the previous one' },
    { keys: ['n', 'p'], what: 'next and previous match' },
    { keys: [']', '['], what: 'next and previous compaction' },
  ],
};

/** @param commandKey how this machine writes the key of the palette: `⌘K` or `Ctrl K` */
export function keysOf(pathname: string, commandKey: string): KeySection[] {
  const everywhere: KeySection = {
    title: 'Everywhere',
    keys: [
      { keys: [commandKey], what: 'sessions, pages and actions by name' },
      {
        keys: ['/'],
        what: pathname === '/' ? 'narrow the list as you type; Esc clears' : 'search sessions',
      },
      { keys: ['?'], what: 'this list' },
    ],
  };
  const own = sectionOf(pathname);
  return own === null ? [everywhere] : [own, everywhere];
}

function sectionOf(pathname: string): KeySection | null {
  if (pathname === '/') return FLEET;
  if (pathname.startsWith('/sessions/')) return SESSION;
  if (pathname === '/history') return HISTORY;
  if (pathname === '/events') return EVENTS;
  if (pathname === '/transcripts') return TRANSCRIPTS;
  if (pathname.startsWith('/transcripts/')) return TRANSCRIPT;
  return null;
}
