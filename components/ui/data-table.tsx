import './data-table.css';

export interface Column<Row> {
  head: React.ReactNode;
  /** Shown before the value on a phone, where a row is a small list; without it the cell has a line of its own. */
  label?: string;
  right?: boolean;
  cell: (row: Row) => React.ReactNode;
}

interface DataTableProps<Row> {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  busy?: boolean;
}

/** A plain table; on a phone each row becomes a small list. */
export function DataTable<Row>({ label, columns, rows, keyOf, busy = false }: DataTableProps<Row>) {
  const names = columns.map(({ head }, index) => (typeof head === 'string' ? head : `column ${index}`));
  return (
    <table className="data-table" aria-label={label} aria-busy={busy}>
      <thead>
        <tr>
          {columns.map(({ head, right }, index) => (
            <th key={names[index]} scope="col" {...(right ? { className: 'right' } : {})}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map((column, index) => (
              <td
                key={names[index]}
                data-label={column.label}
                {...(column.right ? { className: 'right' } : {})}
              >
                {column.cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
