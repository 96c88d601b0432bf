/** The panels under the barogram: what they count, and how they are named. */
import type { SeriesPoint } from '@/core/api/series';
import type { Session } from '@/core/api/session';
import type { PanelSide } from '../charts/prepare-panel';

export interface TelemetrySide extends PanelSide {
  /** `cache reads` */
  name: string;
  /** What the whole session has come to, tokens. */
  inTotal: (session: Session) => number;
}

export interface TelemetryPanelKind {
  id: 'cache' | 'tokens';
  /** What broke, should it break: the beginning of a sentence. */
  title: string;
  /** Said beside it: what it is not. */
  note: string;
  up: TelemetrySide;
  down: TelemetrySide;
}

const none = () => null;

export const TELEMETRY_PANELS: readonly TelemetryPanelKind[] = [
  {
    id: 'cache',
    title: 'Cache reads and writes',
    note: 'telemetry only, not in pressure',
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
