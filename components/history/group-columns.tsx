import {
  createColumnHelper,
  createSortedRowModel,
  rowSortingFeature,
  sortFn_alphanumeric,
  sortFn_basic,
  tableFeatures,
} from '@tanstack/react-table';
import type { HistoryFigures, HistoryGroup } from '@/core/api/history';
import { formatExact, formatTokens } from '../format/format-tokens';
import { Percent } from '../ui/percent';
import { PeakFigure } from './peak-figure';

export const GROUP_FEATURES = tableFeatures({
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
  sortFns: { alphanumeric: sortFn_alphanumeric, basic: sortFn_basic },
});

const helper = createColumnHelper<typeof GROUP_FEATURES, HistoryGroup>();

/** A column of figures; one that is not known sorts below all that are. */
function figure(name: keyof HistoryFigures, header: string, draw: (value: number) => React.ReactNode) {
  return helper.accessor((group) => group.total[name] ?? -1, {
    id: name,
    header,
    sortFn: 'basic',
    sortDescFirst: true,
    cell: ({ row }) => {
      const value = row.original.total[name];
      return value === null ? <span className="text-ink2">–</span> : draw(value);
    },
  });
}

/** The group's name stands before its figures; its trace is no column of the table's, for nothing sorts by it. */
export const GROUP_COLUMNS = helper.columns([
  helper.accessor((group) => group.name ?? '', { id: 'name', header: '', sortFn: 'alphanumeric' }),
  figure('peak', 'peak', (peak) => <PeakFigure peak={peak} />),
  figure('turns', 'turns', exact),
  figure('restarts', 'restarts', exact),
  figure('compactions', 'compactions', exact),
  figure('thrashes', 'thrash', exact),
  figure('input', 'input', tokens),
  figure('output', 'output', tokens),
  figure('cacheRead', 'cache reads', tokens),
  figure('cacheShare', 'cache share', (share) => <Percent ratio={share} />),
]);

function exact(count: number) {
  return <span className={count === 0 ? 'num text-ink2' : 'num'}>{formatExact(count)}</span>;
}

function tokens(count: number) {
  return (
    <span className="num" title={formatExact(count)}>
      {formatTokens(count)}
    </span>
  );
}
