import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { DataTable } from './data-table';

it('shows the first rows of a long table, a button for the rest, and the number on the server', () => {
  const rows = Array.from({ length: 25 }, (_, index) => `row ${index}`);
  const columns = [{ head: 'name', cell: (row: string) => row }];
  const html = renderToStaticMarkup(
    <DataTable label="Rows" rows={rows} first={10} total={900} keyOf={(row) => row} columns={columns} />,
  );
  expect(html.match(/<td/g)).toHaveLength(10);
  expect(html).toContain('Show all 25');
  expect(html).toContain('first 25 of 900');
});
