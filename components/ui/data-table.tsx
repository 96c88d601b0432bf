'use client';
import { useState } from 'react';
import { formatExact } from '../format/format-tokens';
import { Button } from './button';

export interface Column<Row> {
  head: React.ReactNode;
  /** Shown before the value on a phone. Default: the head. */
  label?: string;
  /** On a phone the cell takes a whole line, without a label. */
  wide?: boolean;
  /** On a phone the cell is on the first line. */
  beside?: boolean;
  right?: boolean;
  /** A number, aligned right. */
  num?: boolean;
  cell: (row: Row) => React.ReactNode;
}

interface DataTableProps<Row> {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  busy?: boolean;
  /** Rows shown at first. */
  first?: number;
  /** Number of rows on the server, if `rows` may be only the newest. */
  total?: number;
}

/** The first rows of a long table, and the button that shows all. */
export function useFirstRows<Row>(rows: readonly Row[], first: number) {
  const [showsAll, setShowsAll] = useState(false);
  if (showsAll || rows.length <= first) return [rows, null] as const;
  const button = (
    <Button className="mt-[10px]" onClick={() => setShowsAll(true)}>
      Show all {formatExact(rows.length)}
    </Button>
  );
  return [rows.slice(0, first), button] as const;
}

const HEAD =
  'border-b border-hair2 pr-[16px] pb-[5px] text-small font-normal whitespace-nowrap text-ink2 last:pr-0';
const CELL =
  'h-[36px] border-b border-hair py-[4px] pr-[16px] wrap-anywhere last:pr-0 in-data-[density=compact]:h-[30px] in-data-[density=compact]:py-[2px]';
const PHONE_CELL =
  'max-md:flex max-md:h-auto! max-md:min-h-[26px] max-md:flex-wrap max-md:justify-between max-md:gap-[12px] max-md:border-0 max-md:pr-0';
const PHONE_LABEL =
  'max-md:before:text-[11px] max-md:before:text-ink2 max-md:before:content-[attr(data-label)]';
/** Labels of columns with long values; undefined: no label. */
const WIDE = [undefined, 'source', 'created'];

export function DataTable<Row>({ label, keyOf, busy = false, first = 20, ...props }: DataTableProps<Row>) {
  const { total = 0 } = props;
  const [rows, showAll] = useFirstRows(props.rows, first);
  const columns = props.columns.map(({ label, wide, ...column }, index) => {
    const name = label ?? (typeof column.head === 'string' ? column.head : undefined);
    return { ...column, label: index === 0 || wide ? undefined : name };
  });
  const names = columns.map(({ head }, index) => (typeof head === 'string' ? head : `column ${index}`));
  const side = ({ right, num }: Pick<Column<Row>, 'right' | 'num'>) =>
    right || num ? 'text-right' : 'text-left';
  return (
    <>
      <table className="w-full border-collapse" aria-label={label} aria-busy={busy}>
        <thead className="max-md:sr-only">
          <tr>
            {columns.map((column, index) => (
              <th key={names[index]} scope="col" className={`${HEAD} ${side(column)}`}>
                {column.head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="max-md:block">
          {rows.map((row) => (
            <tr
              key={keyOf(row)}
              className="max-md:grid max-md:grid-cols-2 max-md:gap-x-[24px] max-md:border-b max-md:border-hair max-md:py-[8px]"
            >
              {columns.map((column, index) => (
                <td
                  key={names[index]}
                  data-label={column.label}
                  className={`${CELL} ${PHONE_CELL} ${side(column)} ${column.beside ? `max-md:row-start-1 ${column.right ? 'max-md:*:ml-auto' : ''}` : WIDE.includes(column.label) ? 'max-md:col-span-full' : ''} ${column.label === undefined ? '' : PHONE_LABEL}`}
                >
                  {column.num ? <span className="num">{column.cell(row)}</span> : column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {showAll}
      {total > props.rows.length ? (
        <p className="pt-[8px] text-small text-ink2">
          Showing the first {formatExact(props.rows.length)} of {formatExact(total)}.
        </p>
      ) : null}
    </>
  );
}

interface SortButtonProps {
  head: string;
  sorted: 'ascending' | 'descending' | 'none';
  press: () => void;
}

export function SortButton({ head, sorted, press }: SortButtonProps) {
  const marks = { descending: 'M0 0h6L3 4z', ascending: 'M0 4h6L3 0z', none: '' };
  return (
    <button
      type="button"
      className={sorted === 'none' ? 'text-ink2 hover:text-ink' : 'text-ink'}
      onClick={press}
    >
      {head}
      <svg width="6" height="4" viewBox="0 0 6 4" className="ml-[4px] inline-block" aria-hidden="true">
        <path d={marks[sorted]} fill="currentColor" />
      </svg>
    </button>
  );
}
