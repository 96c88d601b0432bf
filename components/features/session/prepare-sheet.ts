/** Prepares everything that the session's charts draw. Pure: clock and zone are passed in. */
import type { Series, SeriesPoint, SubAgent } from '@/core/api/series';
import type { Session } from '@/core/api/session';
import type { SessionEvent } from '@/core/events/event';
import { between, chartScale } from '../../charts/chart-scale';
import { type Boundary, listFlags } from '../../charts/list-marks';
import { chartLayout, plotFrame } from '../../charts/plot-frame';
import { prepareAgents } from '../../charts/prepare-agents';
import { prepareTimeTicks, prepareTurnTicks, prepareValueAxis } from '../../charts/prepare-axes';
import { prepareTimeDomain, prepareTurnDomain } from '../../charts/prepare-domain';
import { prepareLines, prepareSums } from '../../charts/prepare-lines';
import { FLAG_LEVEL_HEIGHT, pickMarks, prepareFlags } from '../../charts/prepare-marks';
import { prepareTrace } from '../../charts/prepare-trace';
import { toRows } from '../../charts/trace-segments';
import { silenceMs } from '../../format/session-words';
import { preparePanels } from './prepare-panels';
import type { ContextSpan } from './prepare-strip';
import type { SessionUrl } from './session-url';
import { clipPoints, forecastOf, liveFrom, namedPieces, selectedX, untrackedStretches } from './sheet-places';

export interface SheetInput {
  session: Session;
  points: readonly SeriesPoint[];
  overlay: Pick<Series, 'lens' | 'points'> | null;
  subAgents: readonly SubAgent[];
  boundaries: readonly Boundary[];
  spans: readonly ContextSpan[];
  events: readonly SessionEvent[];
  url: SessionUrl;
  /** The server's time, milliseconds. */
  now: number;
  zone: string;
  width: number;
  windowHeight?: number;
}

/** Room over the plot for the first level of flags, pixels. */
const FLAG_ROOM = 24;

export type Sheet = ReturnType<typeof prepareSheet>;

/** Places are in pixels unless stated otherwise. */
export function prepareSheet(input: SheetInput) {
  const { session, points, boundaries, events, url, now, overlay, width } = input;
  const { axis } = url;
  const { limit, pressure, state } = session;
  const layout = chartLayout(width, input.windowHeight);
  const silent = silenceMs(session, now) !== null;
  const { domain, whole, clip, visible, inside, firstAt, lastAt } = rangesOf(input, silent);
  const xDomain: [number, number] = [domain.from, domain.to];
  const isInside = ({ x }: { x: number }) => x > domain.from && x < domain.to;

  const ownScale = chartScale(axis, limit !== null && limit > 0 ? 'percent' : 'tokens', limit);
  const { unit } = ownScale;
  // All turns are drawn as shares of the newest limit, so a change of the limit moves the limit, not the trace.
  const scale = { ...ownScale, y: (tokens: number | null) => ownScale.y(tokens) };
  const ground = { session, scale, domain, silent };
  const gaps = events
    .filter((event) => event.kind === 'turns_dropped' && event.chain === 'main')
    .map((event) => ({ at: Date.parse(event.at), turn: event.turn }));
  const shared = { boundaries, gaps, scale, points: visible, end: domain.end };
  const liveFromX = liveFrom(ground, visible.at(-1));
  const trace = prepareTrace({ ...shared, lens: session.lens, liveFromX });
  const over = overlay && prepareTrace({ ...shared, lens: overlay.lens, points: clip(overlay.points) });
  const sums = url.sums ? prepareSums(shared) : [];
  const agents = prepareAgents(input.subAgents, points, ownScale, domain);

  const drawn = boundaries.map((boundary) => ({ boundary, x: scale.momentX(boundary) })).filter(isInside);
  const valueAxis = prepareValueAxis(
    Math.max(
      ...[trace, over, ...sums, ...agents].map((one) => one?.peak ?? 0),
      ...drawn.map(({ boundary }) => scale.y(boundary.from) ?? 0),
      unit === 'tokens' ? (session.compactsAt ?? 0) : 0,
    ),
    unit,
  );
  const frameOf = (top: number) =>
    plotFrame({
      width,
      margin: { left: layout.left, right: layout.right, top, bottom: Math.round(24 * layout.type) },
      plotHeight: layout.plotHeight,
      xDomain,
      yDomain: valueAxis.domain,
    });
  const { x: toX } = frameOf(0);
  const marks = pickMarks(
    drawn.map(({ boundary, x }) => ({ boundary, x: toX(x) })),
    url.event,
  );
  const notes = listFlags(events)
    .map((note) => ({ ...note, eventId: note.id, x: scale.momentX(note) }))
    .filter(isInside)
    .map((note) => ({ ...note, x: toX(note.x) }));
  const flags = prepareFlags(marks, notes, {
    right: layout.narrow ? width : width - 40,
    levels: layout.narrow ? 2 : 3,
    type: layout.type,
  });
  const highest = Math.max(0, ...flags.map(({ level }) => level));
  const frame = frameOf((FLAG_ROOM + highest * FLAG_LEVEL_HEIGHT) * layout.type);
  const toPixels = (x: number | null) => (x === null ? null : frame.x(x));
  const nowX = toPixels(domain.now);
  const tickCount = Math.max(2, Math.floor((frame.right - frame.left) / (layout.narrow ? 52 : 104)));
  const ticks =
    axis === 'time'
      ? prepareTimeTicks(domain.from, domain.to, tickCount, input.zone)
      : prepareTurnTicks(domain.from, domain.to, tickCount);
  const hasState = unit === 'percent' && state !== 'untracked' && state !== 'unknown';
  /** The x scale of the strip: the whole session. */
  const stripFrame = plotFrame({
    width,
    margin: { left: layout.left, right: layout.right, top: 0, bottom: 24 },
    plotHeight: 22,
    xDomain: [whole.from, whole.to],
    yDomain: [0, 1],
  });

  return {
    session,
    scale,
    layout,
    frame,
    stripFrame,
    strip: input.spans.map((span) => {
      const end = span.end === null && session.liveness === 'live' ? Math.max(now, span.toAt) : span.toAt;
      const [from, to] = axis === 'time' ? [span.fromAt, end] : [span.fromTurn, span.toTurn];
      return { ...span, left: stripFrame.x(from), right: stripFrame.x(to) };
    }),
    panels: preparePanels({
      session,
      tokens: url.sums,
      points: visible,
      scale,
      layout,
      width,
      xDomain,
      top: frame.height,
    }),
    unit,
    timeAt: (x: number) => (axis === 'time' ? x : between(points, 'n', x, 't')),
    domain,
    xDomain,
    xTicks: ticks.map((tick) =>
      nowX !== null && Math.abs(frame.x(tick.x) - nowX) < (layout.narrow ? 34 : 44)
        ? { ...tick, label: '' }
        : tick,
    ),
    valueAxis,
    lines: prepareLines({
      session,
      scale,
      top: valueAxis.domain[1],
      boundaries,
      points: visible,
      range: xDomain,
      isOpen: visible.at(-1) === points.at(-1),
    }),
    rows: toRows(trace.segments),
    overlayRows: over && toRows(over.segments),
    /** Traces of cumulative input and output, and of sub-agents; empty unless the viewer shows them. */
    sums,
    agents,
    hollow: session.limitSource === 'assumed',
    /** Most boundaries are too close together for a full mark. */
    crowded: marks.filter(({ size }) => size === 'tick').length > marks.length / 2,
    marks,
    flags,
    points: inside,
    /** The sheet is not zoomed and shows all turns. */
    isWhole: url.from === null && url.to === null,
    /** The session's pressure at the live end; null: unknown. */
    current:
      hasState && pressure !== null && session.used !== null
        ? { ratio: pressure, y: pressure * 100, state }
        : null,
    nowX,
    /** x of the opened event if it has no mark. */
    selectedX: toPixels(
      selectedX(
        events.find(({ id }) => id === url.event),
        boundaries,
        ground,
      ),
    ),
    forecast: forecastOf(ground, frame),
    untracked: untrackedStretches(visible, boundaries, ground).map(({ from, to }) => ({
      from: frame.x(from),
      to: frame.x(to),
    })),
    ...namedPieces(trace.segments, frame, ground),
    firstAt,
    endAt: lastAt,
  };
}

/** The visible range of the x axis, the range of the whole session, and the points to draw. */
function rangesOf({ session, points, spans, url, now }: SheetInput, silent: boolean) {
  const { liveness, forecast } = session;
  const firstAt = spans[0]?.fromAt ?? now;
  const lastAt = spans.at(-1)?.toAt ?? now;
  const minutesLeft = forecast?.minutes?.high ?? null;
  const turnsLeft = forecast?.turns?.high ?? null;
  const time = { firstAt, lastAt, now, liveness, silent, minutesLeft };
  const inTime = prepareTimeDomain({ ...time, from: url.from, to: url.to });
  const clip = (all: readonly SeriesPoint[]) => clipPoints(all, inTime.from, inTime.to);
  const visible = clip(points);
  const inside = visible.filter(({ t }) => t >= inTime.from && t <= inTime.to);
  const inTurns = (of: readonly SeriesPoint[], isOpen: boolean, first = of[0]?.n ?? 0) =>
    prepareTurnDomain(first, of.at(-1)?.n ?? 1, liveness, isOpen, turnsLeft);
  const [domain, whole] =
    url.axis === 'time'
      ? [inTime, prepareTimeDomain({ ...time, from: null, to: null })]
      : [inTurns(inside, url.to === null), inTurns(points, true, 1)];
  return { domain, whole, clip, visible, inside, firstAt, lastAt };
}
