import { createColumnHelper, tableFeatures } from '@tanstack/react-table';
import type { Session, TurnRow } from '@/core/api/session';
import { shortModel } from '../../fleet/session-names';
import { formatPercent } from '../../format/format-percent';
import { formatClockSeconds, formatDay, formatInstant } from '../../format/format-time';
import { formatExact } from '../../format/format-tokens';
import { turnWords, usedAfter } from './turn-words';

/** A row of the table: its number is known before the turn is read. */
export interface TableTurn {
  number: number;
  turn: TurnRow | null;
}

export const TURN_FEATURES = tableFeatures({});
const helper = createColumnHelper<typeof TURN_FEATURES, TableTurn>();

type Draw = (turn: TurnRow) => React.ReactNode;

/** Columns after the number's, which leads to the turn on the sheet and is drawn by the row. */
export function turnColumns(lens: Session['lens'], zone: string) {
  const column = (id: string, header: string, draw: Draw) =>
    helper.display({
      id,
      header,
      cell: ({ row }) => (row.original.turn === null ? null : draw(row.original.turn)),
    });
  return helper.columns([
    column('at', 'time', ({ at }) => (
      <span className="num" title={formatInstant(at, zone)}>
        <span className="text-ink2">{formatDay(at, zone)}</span> {formatClockSeconds(at, zone)}
      </span>
    )),
    column('context', 'context', ({ context }) => <span className="num">{formatExact(context)}</span>),
    column('model', 'model', ({ model }) => (
      <span className="block truncate" title={model ?? undefined}>
        {model === null ? '–' : shortModel(model)}
      </span>
    )),
    column('input', 'input', ({ usage }) => <Count value={usage?.input} />),
    column('output', 'output', ({ usage }) => <Count value={usage?.output} />),
    column('cacheRead', 'cache reads', ({ usage }) => <Count value={usage?.cacheRead} />),
    column('cacheCreation', 'cache writes', ({ usage }) => <Count value={usage?.cacheCreation} />),
    column('used', 'used', (turn) => <Count value={usedAfter(turn, lens)} />),
    column('pressure', 'pressure', (turn) => {
      const used = usedAfter(turn, lens);
      if (used === null || turn.limit === null || turn.limit <= 0) return <Count value={null} />;
      return <span className="num">{formatPercent(used / turn.limit)}</span>;
    }),
    column('flags', 'remarks', (turn) => (
      <span className="block truncate text-small text-ink2" title={turnWords(turn)}>
        {turnWords(turn)}
      </span>
    )),
  ]);
}

function Count({ value }: { value: number | null | undefined }) {
  if (value === null || value === undefined) return <span className="text-ink2">–</span>;
  return <span className={value === 0 ? 'num text-ink2' : 'num'}>{formatExact(value)}</span>;
}
