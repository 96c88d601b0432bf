/** Lines over the trace: limit, restart line, the client's compaction point, and input and output of each context. */
import { formatTokens } from '@/components/format/format-tokens';
import type { SeriesPoint } from '@/core/api/series';
import type { Session } from '@/core/api/session';
import type { ChartScale } from './chart-scale';
import type { Boundary } from './list-marks';
import { prepareTrace, type TraceInput } from './prepare-trace';

export type ChartLine = ReturnType<typeof prepareLines>[number];

interface LinesInput {
  session: Session;
  scale: ChartScale;
  /** End of the value axis: lines above it are left out. */
  top: number;
  /** The known ends of contexts, from which a compaction point is learned. */
  boundaries: ReadonlyArray<Pick<Boundary, 'kind' | 'trigger'>>;
  /** The visible points, for changes of the limit. */
  points: readonly SeriesPoint[];
  /** Visible range of the x axis. */
  range: readonly [from: number, to: number];
  /** The visible points include the last one, so the session's own limit applies at their end. */
  isOpen: boolean;
}

/** Lines of this session, top first. A restart line above 100 % means that nothing restarts, and is not drawn. */
export function prepareLines(input: LinesInput) {
  const { session, scale, top, boundaries, range } = input;
  const { restartLine, compactsAt, compactionPassed, nextBoundary, limitSource } = session;
  const limits = listLimits(input);
  const restarts =
    restartLine === null || restartLine > 1
      ? []
      : limits.map(({ x, tokens }) => ({ x, tokens: Math.floor(restartLine * tokens) }));
  const newest = limits.at(-1) ?? { x: range[0], tokens: session.limit };
  const compaction = compactsAt ?? compactionPassed;
  const lines = [
    { id: 'limit', levels: limits, name: 'limit', note: limitSource === 'assumed' ? 'assumed' : null },
    { id: 'restart', levels: restarts, name: 'restart line', note: null },
    {
      id: 'compaction',
      // The point belongs to the newest window.
      levels:
        compaction === null || newest.tokens !== session.limit ? [] : [{ x: newest.x, tokens: compaction }],
      name: 'client compacts',
      note: compactionNote(session, boundaries),
    },
  ] as const;
  return lines
    .flatMap(({ levels, ...line }) => {
      const last = levels.at(-1);
      const y = last === undefined ? null : scale.y(last.tokens);
      if (last === undefined || y === null || y > top) return [];
      const segments = stepsOf(levels, scale, top, range[1]);
      return [
        { ...line, y, segments, amount: formatTokens(last.tokens), next: nextBoundary?.kind === line.id },
      ];
    })
    .sort((a, b) => b.y - a.y);
}

interface Level {
  /** Start of the level, in the unit of the x axis. */
  x: number;
  tokens: number;
}

/** The limits of the visible turns; each holds until the next one. */
function listLimits({ session, scale, points, range, isOpen }: LinesInput): Level[] {
  const levels: Level[] = [];
  const add = (x: number, tokens: number | null) => {
    if (tokens === null || tokens <= 0 || tokens === levels.at(-1)?.tokens) return;
    levels.push({ x: levels.length === 0 ? range[0] : Math.max(range[0], x), tokens });
  };
  for (const point of points) add(scale.x(point), point.limit);
  const last = points.at(-1);
  if (isOpen || last === undefined) add(last ? scale.x(last) : range[0], session.limit);
  return levels;
}

type Place = Record<'x' | 'y', number>;

/** The levels as a stair of horizontal and vertical pieces, cut at the end of the value axis. */
function stepsOf(levels: readonly Level[], scale: ChartScale, top: number, end: number): [Place, Place][] {
  const height = (level: Level) => scale.y(level.tokens) ?? 0;
  return levels.flatMap((level, index) => {
    const { x } = level;
    const y = height(level);
    const before = height(levels[index - 1] ?? level);
    const rise: [Place, Place] = [
      { x, y: Math.min(before, top) },
      { x, y: Math.min(y, top) },
    ];
    const run: [Place, Place] = [
      { x, y },
      { x: levels[index + 1]?.x ?? end, y },
    ];
    return [...(before === y ? [] : [rise]), ...(y > top ? [] : [run])];
  });
}

const SOURCE_NOTES: Readonly<Record<string, string>> = {
  client: 'stated by the client',
  runner: 'stated by the runner',
  rule: 'the client’s default',
};

function compactionNote(
  { nextBoundary, compactionPassed }: Session,
  boundaries: LinesInput['boundaries'],
): string | null {
  if (compactionPassed !== null) return 'passed, no compaction seen';
  if (nextBoundary?.kind !== 'compaction') return null;
  if (nextBoundary.source !== 'learned') return SOURCE_NOTES[nextBoundary.source] ?? null;
  // A manual compaction does not show where the client compacts automatically.
  const seen = boundaries.filter(({ kind, trigger }) => kind === 'compaction' && trigger === 'auto').length;
  if (seen === 0) return 'learned from earlier compactions';
  return seen === 1 ? 'seen at 1 compaction' : `seen at ${seen} compactions`;
}

/** Input and output so far in each context. Both sums start at zero and leave out untracked turns. */
export function prepareSums(input: Omit<TraceInput, 'lens' | 'liveFromX'>) {
  return (['input', 'output'] as const).map((id) => {
    const points = input.points.map((point) => {
      const used = id === 'input' ? point.cumulativeInput : point.cumulativeOutput;
      return { ...point, used, min: used, max: used, estimated: false };
    });
    const last = points.at(-1);
    const isCrossed = input.boundaries.some(({ contextAfter }) => last && contextAfter > last.context);
    const tokens = last === undefined || last.untracked ? null : isCrossed ? 0 : last.used;
    return {
      id,
      ...prepareTrace({ ...input, points, lens: 'cumulative' }),
      /** Last value of the line, in the chart's unit; null: no label. */
      y: input.scale.y(tokens, last?.limit),
      name: `${id} so far`,
      amount: tokens === null ? '' : formatTokens(tokens),
    };
  });
}
