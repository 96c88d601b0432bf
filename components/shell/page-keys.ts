/** The keys that work, everywhere and on each page: what the help shows. */

export interface KeyHelp {
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
    { keys: ['w'], what: 'the wall, for a screen some metres away, and back' },
    {
      keys: ['e'],
      what: 'why the row’s next boundary comes when it does; again: its other numbers, with Shift backwards',
    },
    { keys: ['x'], what: 'choose the row, to compare two' },
    { keys: ['c'], what: 'compare the two that are chosen' },
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
    { keys: ['Esc'], what: 'let the crosshair go' },
  ],
};

const HISTORY: KeySection = {
  title: 'On history',
  keys: [
    { keys: ['←', '→'], what: 'walk the slots of time' },
    { keys: ['Home', 'End'], what: 'first and last slot' },
    { keys: ['Enter'], what: 'zoom into the slot' },
    { keys: ['Esc'], what: 'let the crosshair go' },
  ],
};

const EVENTS: KeySection = { title: 'On events', keys: ROWS };

const TRANSCRIPTS: KeySection = { title: 'On transcripts', keys: ROWS };

const TRANSCRIPT: KeySection = {
  title: 'On a transcript',
  keys: [
    { keys: ['Enter'], what: 'next place, in the field of what is looked for; with Shift the one before' },
    { keys: ['n', 'p'], what: 'next and previous place' },
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
