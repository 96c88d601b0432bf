/** Lines over the trace: limit, restart line, the client's compaction point, and input and output of each context. */
import { formatTokens } from '@/components/format/format-tokens';
import type { Session } from '@/core/api/session';
import type { ChartScale } from './chart-scale';
import type { Boundary } from './list-marks';
import { prepareTrace, type TraceInput } from './prepare-trace';

export type ChartLine = ReturnType<typeof prepareLines>[number];
type Boundaries = ReadonlyArray<Pick<Boundary, 'kind' | 'trigger'>>;

/**
 * Lines of this session, top first. A restart line above 100 % means that nothing restarts, and is not drawn.
 * @param top end of the value axis: lines above it are left out
 * @param boundaries the known ends of contexts, from which a compaction point is learned
 */
export function prepareLines(session: Session, scale: ChartScale, top: number, boundaries: Boundaries) {
  const { limit, restartLine, compactsAt, compactionPassed, nextBoundary, limitSource } = session;
  const hasLimit = limit !== null && limit > 0;
  const restartAt = hasLimit && restartLine !== null && restartLine <= 1 ? restartLine * limit : null;
  const lines = [
    {
      id: 'limit',
      tokens: hasLimit ? limit : null,
      name: 'limit',
      note: limitSource === 'assumed' ? 'assumed' : null,
    },
    { id: 'restart', tokens: restartAt && Math.floor(restartAt), name: 'restart line', note: null },
    {
      id: 'compaction',
      tokens: compactsAt ?? compactionPassed,
      name: 'client compacts',
      note: compactionNote(session, boundaries),
    },
  ] as const;
  return lines
    .flatMap(({ tokens, ...line }) => {
      const y = scale.y(tokens);
      if (tokens === null || y === null || y > top) return [];
      return [{ ...line, y, amount: formatTokens(tokens), next: nextBoundary?.kind === line.id }];
    })
    .sort((a, b) => b.y - a.y);
}

const SOURCE_NOTES: Readonly<Record<string, string>> = {
  client: 'stated by the client',
  runner: 'stated by the runner',
  rule: 'known rule of this client',
};

function compactionNote({ nextBoundary, compactionPassed }: Session, boundaries: Boundaries): string | null {
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
