/** The lines of the pressure chart: limit, restart line, and the client's compaction point. */
import { formatTokens } from '@/components/format/format-tokens';
import type { Session } from '@/core/api/session';
import { toUnit, type ValueUnit } from './chart-scale';
import type { Boundary } from './list-marks';

export interface ChartLine {
  id: 'limit' | 'restart' | 'compaction';
  /** In the chart's unit. */
  y: number;
  name: string;
  /** `167 k` */
  amount: string;
  /** How it is known, where that is not obvious. */
  note: string | null;
  /** The session's next boundary: its name is strong. */
  next: boolean;
}

export interface LinesInput {
  unit: ValueUnit;
  /** End of the value axis: lines above it are left out. */
  top: number;
  /** Where contexts ended, as far as they are known: what a point was learned from. */
  boundaries: ReadonlyArray<Pick<Boundary, 'kind' | 'trigger'>>;
}

/** Lines that exist for this session, top first. A restart line above 100 % means never and is not drawn. */
export function prepareLines(session: Session, { unit, top, boundaries }: LinesInput): ChartLine[] {
  const { limit, restartLine, compactsAt, nextBoundary } = session;
  const lines: ChartLine[] = [];
  const add = (id: ChartLine['id'], tokens: number, name: string, note: string | null, kind: string) => {
    const y = toUnit(tokens, limit, unit);
    if (y === null || y > top) return;
    lines.push({ id, y, name, amount: formatTokens(tokens), note, next: nextBoundary?.kind === kind });
  };
  if (limit !== null && limit > 0) {
    add('limit', limit, 'limit', session.limitSource === 'assumed' ? 'assumed' : null, 'limit');
    if (restartLine !== null && restartLine <= 1) {
      add('restart', Math.floor(restartLine * limit), 'restart line', null, 'restart');
    }
  }
  if (compactsAt !== null)
    add('compaction', compactsAt, 'client compacts', compactionNote(session, boundaries), 'compaction');
  return lines.sort((a, b) => b.y - a.y);
}

/** How the client's own compaction point is known; null: unknown. */
function compactionNote({ nextBoundary }: Session, boundaries: LinesInput['boundaries']): string | null {
  if (nextBoundary?.kind !== 'compaction') return null;
  switch (nextBoundary.source) {
    case 'learned': {
      // A manual compaction does not show where the client compacts.
      const seen = boundaries.filter(({ kind, trigger }) => kind === 'compaction' && trigger === 'auto');
      if (seen.length === 0) return 'learned from this session';
      return seen.length === 1 ? 'seen at 1 compaction' : `seen at ${seen.length} compactions`;
    }
    case 'client':
      return 'stated by the client';
    case 'runner':
      return 'stated by the runner';
    case 'rule':
      return 'known rule of this client';
    default:
      return null;
  }
}
