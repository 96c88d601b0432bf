/** What the fleet shows, as it stands in the URL: a link shows a colleague the same picture. */
import { PRESSURE_STATES, type PressureState } from '@/core/accounting/types';
import { LIVENESSES, type Liveness } from '@/core/identity/liveness';

export const SORT_KEYS = ['boundary', 'pressure', 'burn', 'last', 'continuations'] as const;
export type SortKey = (typeof SORT_KEYS)[number];

export const FLEET_VIEWS = ['list', 'wall'] as const;
export type FleetViewName = (typeof FLEET_VIEWS)[number];

export interface FleetQuery {
  /** The list, or cards that fill the screen, for eyes some metres away. */
  view: FleetViewName;
  text: string;
  states: readonly PressureState[];
  liveness: readonly Liveness[];
  /** Only sessions that thrash, or whose cache is missed. */
  trouble: boolean;
  /** Only sessions of which a transcript was not kept. */
  archiveFailed: boolean;
  project: string | null;
  model: string | null;
  runner: string | null;
  /** Brushed range of pressure in whole percent; `to` at 110 means "and above". */
  range: { from: number; to: number } | null;
  sort: SortKey;
  /** The other way round than the key's natural order. */
  reversed: boolean;
}

/** The axis everywhere ends here, in percent. */
export const AXIS_END = 110;

export const NO_FILTER: FleetQuery = {
  view: 'list',
  text: '',
  states: [],
  liveness: [],
  trouble: false,
  archiveFailed: false,
  project: null,
  model: null,
  runner: null,
  range: null,
  sort: 'boundary',
  reversed: false,
};

interface Params {
  get(name: string): string | null;
}

/** Reads the query; what makes no sense is left out rather than refused: the page still opens. */
export function readFleetQuery(params: Params): FleetQuery {
  const sort = params.get('sort') ?? '';
  const key = SORT_KEYS.find((name) => name === sort.replace(/^-/, ''));
  return {
    view: params.get('view') === 'wall' ? 'wall' : 'list',
    text: (params.get('q') ?? '').trim(),
    states: readList(params.get('state'), PRESSURE_STATES),
    liveness: readList(params.get('liveness'), LIVENESSES),
    trouble: params.get('trouble') === 'yes',
    archiveFailed: params.get('archive') === 'failed',
    project: params.get('project') || null,
    model: params.get('model') || null,
    runner: params.get('runner') || null,
    range: readRange(params.get('pressure')),
    sort: key ?? 'boundary',
    reversed: key !== undefined && sort.startsWith('-'),
  };
}

function readList<T extends string>(text: string | null, known: readonly T[]): T[] {
  const names = new Set(text?.split(','));
  return known.filter((name) => names.has(name));
}

function readRange(text: string | null): FleetQuery['range'] {
  const match = /^(\d{1,3})-(\d{1,3})$/.exec(text ?? '');
  if (match === null) return null;
  const from = Math.min(AXIS_END, Number(match[1]));
  const to = Math.min(AXIS_END, Number(match[2]));
  return from < to && (from > 0 || to < AXIS_END) ? { from, to } : null;
}

/** The query as URL search text, without defaults: `?state=critical&sort=pressure`, or the empty string. */
export function writeFleetQuery(query: FleetQuery): string {
  const params = new URLSearchParams();
  if (query.view !== 'list') params.set('view', query.view);
  if (query.text !== '') params.set('q', query.text);
  if (query.states.length > 0) params.set('state', query.states.join(','));
  if (query.liveness.length > 0) params.set('liveness', query.liveness.join(','));
  if (query.trouble) params.set('trouble', 'yes');
  if (query.archiveFailed) params.set('archive', 'failed');
  if (query.project !== null) params.set('project', query.project);
  if (query.model !== null) params.set('model', query.model);
  if (query.runner !== null) params.set('runner', query.runner);
  if (query.range !== null) params.set('pressure', `${query.range.from}-${query.range.to}`);
  if (query.sort !== 'boundary' || query.reversed) {
    params.set('sort', `${query.reversed ? '-' : ''}${query.sort}`);
  }
  const text = params.toString().replaceAll('%2C', ',');
  return text === '' ? '' : `?${text}`;
}

/** Whether anything is left out. */
export function isFiltered(query: FleetQuery): boolean {
  return writeFleetQuery({ ...query, view: 'list', sort: 'boundary', reversed: false }) !== '';
}
