/** Lines over the trace: limit, restart line, the client's compaction point; input and output of each context so far. */
import { formatTokens } from '@/components/format/format-tokens';
import type { Session } from '@/core/api/session';
import { toUnit, type ValueUnit } from './chart-scale';
import type { Boundary } from './list-marks';
import { prepareTrace, type TraceInput } from './prepare-trace';

export interface ChartLine {
  id: 'limit' | 'restart' | 'compaction';
  y: number;
  name: string;
  amount: string;
  /** How it is known, where that is not obvious. */
  note: string | null;
  /** The session's next boundary: its name is strong. */
  next: boolean;
}

interface LinesInput {
  unit: ValueUnit;
  /** End of the value axis: lines above it are left out. */
  top: number;
  /** Where contexts ended, as far as they are known: what a point was learned from. */
  boundaries: ReadonlyArray<Pick<Boundary, 'kind' | 'trigger'>>;
}

/** Lines that exist for this session, top first. A restart line above 100 % means never and is not drawn. */
export function prepareLines(session: Session, { unit, top, boundaries }: LinesInput): ChartLine[] {
  const { limit, restartLine, compactsAt, nextBoundary, limitSource } = session;
  const line = (
    id: ChartLine['id'],
    tokens: number | null,
    name: string,
    note: string | null,
  ): ChartLine[] => {
    const y = toUnit(tokens, limit, unit);
    if (tokens === null || y === null || y > top) return [];
    return [{ id, y, name, amount: formatTokens(tokens), note, next: nextBoundary?.kind === id }];
  };
  const hasLimit = limit !== null && limit > 0;
  const hasRestart = hasLimit && restartLine !== null && restartLine <= 1;
  return [
    ...line('limit', hasLimit ? limit : null, 'limit', limitSource === 'assumed' ? 'assumed' : null),
    ...line('restart', hasRestart ? Math.floor(restartLine * limit) : null, 'restart line', null),
    ...line('compaction', compactsAt, 'client compacts', compactionNote(session, boundaries)),
  ].sort((a, b) => b.y - a.y);
}

const SOURCE_NOTES: Readonly<Record<string, string>> = {
  client: 'stated by the client',
  runner: 'stated by the runner',
  rule: 'known rule of this client',
};

function compactionNote({ nextBoundary }: Session, boundaries: LinesInput['boundaries']): string | null {
  if (nextBoundary?.kind !== 'compaction') return null;
  if (nextBoundary.source !== 'learned') return SOURCE_NOTES[nextBoundary.source] ?? null;
  // A manual compaction does not show where the client compacts.
  const seen = boundaries.filter(({ kind, trigger }) => kind === 'compaction' && trigger === 'auto').length;
  if (seen === 0) return 'learned from this session';
  return seen === 1 ? 'seen at 1 compaction' : `seen at ${seen} compactions`;
}

/** Input and output so far. Each begins at zero with its context; turns that were not tracked are in no sum. */
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
      ...prepareTrace({ ...input, points, lens: 'cumulative', liveFromX: null }),
      /** Where it ends, in the chart's unit; null: nothing to name. */
      y: toUnit(tokens, last?.limit ?? input.limit, input.unit),
      name: `${id} so far`,
      amount: tokens === null ? '' : formatTokens(tokens),
    };
  });
}
