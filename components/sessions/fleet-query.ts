/** The filters, sort order and view of the fleet in the URL. */
import {
  createLoader,
  createParser,
  createSerializer,
  type inferParserType,
  parseAsArrayOf,
  parseAsString,
  parseAsStringLiteral,
} from 'nuqs/server';
import { PRESSURE_STATES } from '@/core/accounting/types';
import { LIVENESSES } from '@/core/identity/liveness';

export const SORT_KEYS = ['boundary', 'pressure', 'burn', 'last', 'continuations'] as const;
export type SortKey = (typeof SORT_KEYS)[number];

interface SortOrder {
  by: SortKey;
  reversed: boolean;
}

/** Pressure in whole percent; `to` at 110 means "and above". */
interface PressureRange {
  from: number;
  to: number;
}

export const AXIS_END = 110;

const parseRange = createParser<PressureRange>({
  parse(text) {
    const [, low, high] = /^(\d{1,3})-(\d{1,3})$/.exec(text) ?? [];
    const from = Math.min(AXIS_END, Number(low));
    const to = Math.min(AXIS_END, Number(high));
    return from < to && (from > 0 || to < AXIS_END) ? { from, to } : null;
  },
  serialize: ({ from, to }) => `${from}-${to}`,
  eq: (a, b) => a.from === b.from && a.to === b.to,
});

const parseSort = createParser<SortOrder>({
  parse(text) {
    const by = SORT_KEYS.find((key) => key === text.replace(/^-/, ''));
    return by === undefined ? null : { by, reversed: text.startsWith('-') };
  },
  serialize: ({ by, reversed }) => `${reversed ? '-' : ''}${by}`,
  eq: (a, b) => a.by === b.by && a.reversed === b.reversed,
});

const parseFlag = (word: string) =>
  createParser<boolean>({ parse: (text) => text === word, serialize: () => word }).withDefault(false);
/** An empty name filters nothing. */
const parseName = createParser<string>({ parse: (text) => text || null, serialize: (name) => name });

/** Unknown values are ignored: the page still opens. */
export const FLEET_PARSERS = {
  /** The list, or cards that fill the screen, to be read from some metres away. */
  view: parseAsStringLiteral(['list', 'wall']).withDefault('list'),
  text: parseAsString.withDefault(''),
  states: parseAsArrayOf(parseAsStringLiteral(PRESSURE_STATES)).withDefault([]),
  liveness: parseAsArrayOf(parseAsStringLiteral(LIVENESSES)).withDefault([]),
  trouble: parseFlag('yes'),
  archiveFailed: parseFlag('failed'),
  /** Whether to show sessions idle for more than a day. */
  older: parseFlag('yes'),
  project: parseName,
  model: parseName,
  runner: parseName,
  range: parseRange,
  sort: parseSort.withDefault({ by: 'boundary', reversed: false }),
};
export type FleetQuery = inferParserType<typeof FLEET_PARSERS>;

export const FLEET_URL_KEYS = {
  text: 'q',
  states: 'state',
  archiveFailed: 'archive',
  range: 'pressure',
} as const;

export const readFleetQuery = createLoader(FLEET_PARSERS, { urlKeys: FLEET_URL_KEYS });

export const NO_FILTER: FleetQuery = readFleetQuery('');

/** The query as a URL search string without defaults: `?state=critical&sort=pressure`, or empty. */
export const writeFleetQuery = createSerializer(FLEET_PARSERS, { urlKeys: FLEET_URL_KEYS });

export function isFiltered(query: FleetQuery): boolean {
  return writeFleetQuery({ ...query, view: 'list', sort: NO_FILTER.sort, older: false }) !== '';
}
