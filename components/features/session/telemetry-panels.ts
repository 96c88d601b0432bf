/** The panels under the barogram: what they count, and how they are named. */
import type { SeriesPoint } from '@/core/api/series';
import type { Session } from '@/core/api/session';
import type { PanelSide } from '../../charts/prepare-panel';

interface TelemetrySide extends PanelSide {
  /** `cache reads` */
  name: string;
  /** Tokens of the whole session. */
  inTotal: (session: Session) => number;
}

export interface TelemetryPanelKind {
  id: 'cache' | 'tokens';
  /** Subject of an error message. */
  title: string;
  /** Note beside it. */
  note: string;
  /** Shown while there is nothing to draw. */
  empty: string;
  up: TelemetrySide;
  down: TelemetrySide;
}

/** Tokens of the upper and the lower side. */
export interface PanelAmounts {
  /** Of the turns on the sheet; null: the sheet is the whole session. */
  shown: readonly [number, number] | null;
  /** Of the session up to the sheet's end, where its lines end; null: no lines are drawn. */
  soFar: readonly [number, number] | null;
  /** Of the whole session; null: shown by one of the others. */
  inTotal: readonly [number, number] | null;
}

/** Amounts shown beside a panel: of the zoomed turns, or of the session. */
export function panelAmounts(
  { up, down }: Pick<TelemetryPanelKind, 'up' | 'down'>,
  points: readonly SeriesPoint[],
  session: Session,
  isWhole: boolean,
): PanelAmounts {
  const last = points.at(-1);
  const of = (side: TelemetrySide) => (last === undefined ? null : side.total(last));
  const [above, below] = [of(up), of(down)];
  const soFar = above === null || below === null ? null : ([above, below] as const);
  const sum = (side: TelemetrySide) => points.reduce((all, point) => all + side.pick(point), 0);
  return {
    shown: isWhole ? null : [sum(up), sum(down)],
    soFar,
    inTotal: isWhole && soFar === null ? [up.inTotal(session), down.inTotal(session)] : null,
  };
}

/** Panels that would be empty as long as the session is: a row of words takes their place. */
export function emptyPanels(session: Session): ReadonlySet<TelemetryPanelKind['id']> {
  return new Set(
    TELEMETRY_PANELS.filter(({ up, down }) => up.inTotal(session) + down.inTotal(session) === 0).map(
      ({ id }) => id,
    ),
  );
}

const none = () => null;

export const TELEMETRY_PANELS: readonly TelemetryPanelKind[] = [
  {
    id: 'cache',
    title: 'Cache reads and writes',
    note: 'telemetry only, not in pressure',
    empty: 'No cache reads or writes were reported.',
    up: {
      name: 'cache reads',
      pick: (point: SeriesPoint) => point.cacheRead,
      total: (point) => point.totalCacheRead,
      inTotal: ({ totals }) => totals.main.cacheRead,
    },
    down: {
      name: 'cache writes',
      pick: (point) => point.cacheCreation,
      total: (point) => point.totalCacheCreation,
      inTotal: ({ totals }) => totals.main.cacheCreation,
    },
  },
  {
    id: 'tokens',
    title: 'Tokens per turn',
    note: 'cached input left out',
    empty: 'No input or output was reported.',
    up: {
      name: 'input',
      pick: (point) => point.input,
      total: none,
      inTotal: ({ totals }) => totals.main.input,
    },
    down: {
      name: 'output',
      pick: (point) => point.output,
      total: none,
      inTotal: ({ totals }) => totals.main.output,
    },
  },
];
