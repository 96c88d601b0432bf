/** Everything the session's charts draw, from the data and the address alone. Pure: clock and zone are passed in. */

import type { Series, SeriesPoint, SubAgent } from '@/core/api/series';
import type { Context, Session } from '@/core/api/session';
import type { SessionEvent } from '@/core/events/event';
import { momentX, pointX, toUnit, type ValueUnit } from '../../charts/chart-scale';
import { type Boundary, listBoundaries, listFlags } from '../../charts/list-marks';
import { type PlacedBoundary, pickMarks } from '../../charts/pick-marks';
import { type ChartLayout, chartLayout, type PlotFrame, plotFrame } from '../../charts/plot-frame';
import { type AgentTrace, prepareAgents } from '../../charts/prepare-agents';
import {
  prepareTimeTicks,
  prepareTurnTicks,
  prepareValueAxis,
  type Tick,
  type ValueAxis,
} from '../../charts/prepare-axes';
import { type PreparedDomain, prepareTimeDomain, prepareTurnDomain } from '../../charts/prepare-domain';
import { FLAG_LEVEL_HEIGHT, type Flag, prepareFlags } from '../../charts/prepare-flags';
import { type ChartLine, prepareLines } from '../../charts/prepare-lines';
import { prepareSums, type SumTrace } from '../../charts/prepare-sums';
import { prepareTrace } from '../../charts/prepare-trace';
import { thinPoints } from '../../charts/thin-points';
import { type TraceRows, toRows } from '../../charts/trace-segments';
import { zoneFormat } from '../../charts/zone-format';
import { silenceMs } from '../../format/silence';
import { type PlacedPanel, placePanels } from './place-panels';
import { prepareStrip, type StripContext } from './prepare-strip';
import type { SessionUrl } from './session-url';
import {
  type CurrentPressure,
  currentOf,
  type Forecast,
  forecastOf,
  labelSide,
  liveFrom,
  type NamedPieces,
  namedPieces,
  selectedX,
} from './sheet-marks';
import { emptyPanels } from './telemetry-panels';
import { clipPoints, type Stretch, untrackedStretches } from './visible-points';

export interface SheetInput {
  session: Session;
  /** Points of the session's own lens. */
  points: readonly SeriesPoint[];
  /** Another lens laid over it. */
  overlay: { lens: Series['lens']; points: readonly SeriesPoint[] } | null;
  /** Sub-agents, where they are shown. */
  subAgents: readonly SubAgent[];
  contexts: readonly Context[];
  events: readonly SessionEvent[];
  url: SessionUrl;
  /** The server's time, milliseconds. */
  now: number;
  zone: string;
  /** Pixels of the page's column. */
  width: number;
}

export interface Sheet extends NamedPieces {
  layout: ChartLayout;
  frame: PlotFrame;
  /** Places of the panels below it. */
  panels: PlacedPanel[];
  /** The x scale of the strip: the whole session. */
  stripFrame: PlotFrame;
  unit: ValueUnit;
  /** The session's limit, tokens: what percentages are of where a turn states none. */
  limit: number | null;
  /** Where the project's states begin; null: at the usual bounds. */
  bounds: Session['bounds'];
  domain: PreparedDomain;
  xDomain: [number, number];
  xTicks: Tick[];
  valueAxis: ValueAxis;
  lines: ChartLine[];
  rows: TraceRows;
  overlayRows: TraceRows | null;
  /** Input and output of each context so far, where they are shown. */
  sums: SumTrace[];
  /** Sub-agents as thin traces. */
  agents: AgentTrace[];
  hollow: boolean;
  /** Boundaries overlap, and so does the trace between them. */
  crowded: boolean;
  boundaries: Boundary[];
  marks: PlacedBoundary[];
  flags: Flag[];
  strip: StripContext[];
  /** Points in the domain and one on either side. */
  visible: readonly SeriesPoint[];
  /** Nothing is zoomed: the sheet shows all turns. */
  isWhole: boolean;
  /** Points under the crosshair, in the domain. */
  points: readonly SeriesPoint[];
  overlayPoints: readonly SeriesPoint[];
  current: CurrentPressure | null;
  nowX: number | null;
  /** x of the opened event when it has no mark, pixels. */
  selectedX: number | null;
  forecast: Forecast | null;
  /** At which end of a narrow plot its lines are named. */
  labelSide: 'left' | 'right';
  untracked: Stretch[];
  lowerBounds: Array<{ x: number; y: number }>;
  /** Where messages were removed, pixels. */
  notches: Array<{ id: string; x: number }>;
  /** Whole session, milliseconds. */
  firstAt: number;
  endAt: number;
}

const FLAG_ROOM = 24;

export function prepareSheet(input: SheetInput): Sheet {
  const { session, url, now, overlay } = input;
  const { axis } = url;
  const layout = chartLayout(input.width);
  const boundaries = listBoundaries(input.contexts, input.events, session.lens);
  const notes = listFlags(input.events);
  const gaps = input.events
    .filter((event) => event.kind === 'turns_dropped' && event.chain === 'main')
    .map((event) => ({ at: Date.parse(event.at), turn: event.turn }));
  const firstAt = Math.min(Date.parse(session.startedAt), input.points[0]?.t ?? Number.POSITIVE_INFINITY);
  const lastAt = Math.max(firstAt, input.points.at(-1)?.t ?? 0, boundaries.at(-1)?.at ?? 0);
  const firstPointAt = input.points[0]?.t ?? firstAt;
  const minutesLeft = session.forecast?.minutes?.high ?? null;
  const turnsLeft = session.forecast?.turns?.high ?? null;
  const silent = silenceMs(session, now) !== null;
  const time = { firstAt: firstPointAt, lastAt, now, liveness: session.liveness, silent, minutesLeft };
  const timeDomain = prepareTimeDomain({ ...time, from: url.from, to: url.to });
  const wholeTime =
    url.from === null && url.to === null ? timeDomain : prepareTimeDomain({ ...time, from: null, to: null });

  const visible = thinPoints(clipPoints(input.points, timeDomain.from, timeDomain.to));
  const inside = visible.filter((point) => point.t >= timeDomain.from && point.t <= timeDomain.to);
  const lastTurn = input.points.at(-1)?.n ?? 1;
  const domain =
    axis === 'time'
      ? timeDomain
      : prepareTurnDomain(
          inside[0]?.n ?? 0,
          inside.at(-1)?.n ?? 1,
          session.liveness,
          url.to === null,
          turnsLeft,
        );
  const whole =
    axis === 'time' ? wholeTime : prepareTurnDomain(1, lastTurn, session.liveness, true, turnsLeft);
  const xDomain: [number, number] = [domain.from, domain.to];

  const unit: ValueUnit = session.limit !== null && session.limit > 0 ? 'percent' : 'tokens';
  const shared = { boundaries, gaps, axis, unit, limit: session.limit };
  const trace = prepareTrace({
    ...shared,
    lens: session.lens,
    points: visible,
    end: domain.end,
    liveFromX: liveFrom(session, visible, axis, domain, silent),
  });
  const overlayPoints =
    overlay === null ? [] : thinPoints(clipPoints(overlay.points, timeDomain.from, timeDomain.to));
  const over =
    overlay === null
      ? null
      : prepareTrace({
          ...shared,
          lens: overlay.lens,
          points: overlayPoints,
          end: domain.end,
          liveFromX: null,
        });

  const sums = url.sums ? prepareSums({ ...shared, points: visible, end: domain.end }) : [];

  const agents = prepareAgents({
    agents: input.subAgents,
    points: input.points,
    axis,
    unit,
    limit: session.limit,
    domain,
  });

  const inDomain = boundaries
    .map((boundary) => ({ boundary, x: momentX(boundary, axis) }))
    .filter(({ x }) => x > domain.from && x < domain.to);
  const peaks = inDomain.map(
    ({ boundary }) => toUnit(boundary.from, boundary.limit ?? session.limit, unit) ?? 0,
  );
  const valueAxis = prepareValueAxis(
    Math.max(
      trace.peak,
      over?.peak ?? 0,
      ...sums.map(({ peak }) => peak),
      ...agents.map(({ peak }) => peak),
      session.compactsAt !== null && unit === 'tokens' ? session.compactsAt : 0,
      ...peaks,
    ),
    unit,
  );

  const margin = { left: layout.left, right: layout.right, top: 0, bottom: 24 };
  const flat = plotFrame({
    width: input.width,
    margin,
    plotHeight: layout.plotHeight,
    xDomain,
    yDomain: valueAxis.domain,
  });
  const marks = pickMarks(
    inDomain.map(({ boundary, x }) => ({ boundary, x: flat.x(x) })),
    url.event,
  );
  const noteMarks = notes
    .map((note) => ({ ...note, x: momentX(note, axis) }))
    .filter(({ x }) => x > domain.from && x < domain.to)
    .map((note) => ({ ...note, x: flat.x(note.x) }));
  const flags = prepareFlags(marks, noteMarks, {
    right: layout.narrow ? input.width : input.width - 40,
    levels: layout.narrow ? 2 : 3,
    inset: 5,
  });
  const levels = Math.max(0, ...flags.map((flag) => flag.level));
  const frame = plotFrame({
    width: input.width,
    margin: { ...margin, top: FLAG_ROOM + levels * FLAG_LEVEL_HEIGHT },
    plotHeight: layout.plotHeight,
    xDomain,
    yDomain: valueAxis.domain,
  });
  const nowX = domain.now === null ? null : frame.x(domain.now);
  const plotWidth = frame.right - frame.left;
  const tickCount = Math.max(2, Math.floor(plotWidth / (layout.narrow ? 52 : 104)));
  const ticks =
    axis === 'time'
      ? prepareTimeTicks(domain.from, domain.to, tickCount, zoneFormat(input.zone))
      : prepareTurnTicks(domain.from, domain.to, tickCount);

  const forecast = forecastOf(session, domain, axis, unit, frame, silent);

  return {
    layout,
    frame,
    panels: placePanels(layout, frame.height, emptyPanels(session)),
    stripFrame: plotFrame({
      width: input.width,
      margin,
      plotHeight: 22,
      xDomain: [whole.from, whole.to],
      yDomain: [0, 1],
    }),
    unit,
    limit: session.limit,
    bounds: session.bounds,
    domain,
    xDomain,
    xTicks: ticks.map((tick) =>
      nowX !== null && Math.abs(frame.x(tick.x) - nowX) < (layout.narrow ? 34 : 44)
        ? { ...tick, label: '' }
        : tick,
    ),
    valueAxis,
    lines: prepareLines(session, { unit, top: valueAxis.domain[1], boundaries }),
    rows: toRows(trace.segments),
    overlayRows: over === null ? null : toRows(over.segments),
    sums,
    agents,
    hollow: session.limitSource === 'assumed',
    crowded: marks.filter(({ size }) => size === 'tick').length > marks.length / 2,
    boundaries,
    marks,
    flags,
    strip: prepareStrip({
      lens: session.lens,
      contexts: input.contexts,
      boundaries,
      points: input.points,
      axis,
      firstAt: firstPointAt,
      endAt: session.liveness === 'live' ? Math.max(now, lastAt) : lastAt,
    }),
    visible,
    isWhole: url.from === null && url.to === null,
    points: inside,
    overlayPoints,
    current: currentOf(session, valueAxis),
    nowX,
    selectedX: selectedX(url, input.events, boundaries, domain, frame),
    // The forecast and its label are at the right end.
    labelSide: forecast === null ? labelSide(trace.segments, frame) : 'left',
    forecast,
    untracked: untrackedStretches(visible, boundaries, axis, domain).map(({ from, to }) => ({
      from: frame.x(from),
      to: frame.x(to),
    })),
    lowerBounds: gaps.flatMap((gap) => {
      const next = inside.find((point) => point.n > gap.turn);
      const y = next ? toUnit(next.used, next.limit ?? session.limit, unit) : null;
      return next && y !== null ? [{ x: frame.x(pointX(next, axis)), y: frame.y(y) }] : [];
    }),
    notches: noteMarks.flatMap(({ id, x, isFall }) => (isFall ? [{ id, x }] : [])),
    ...namedPieces(trace.segments, frame, domain, unit),
    firstAt: firstPointAt,
    endAt: lastAt,
  };
}
