import { expect, it } from 'vitest';
import { listAsFile } from './list-as-file';

const session = {
  id: 1,
  month: 1,
  publicId: '5f2d3f8e-0000-5000-8000-000000000000',
  title: null,
  project: 'atlas',
  lens: 'snapshot',
  version: 1,
} as const;

/** A list of the numbers 1 … `count` whose pages tell how many of them were read. */
function longList(count: number) {
  const asked: number[] = [];
  const file = (format: 'csv' | 'json') => ({
    name: 'turns' as const,
    session,
    format,
    head: ['n'],
    toRow: (n: number) => [n],
    read: ({ cursor, limit = 1 }: { cursor?: string | undefined; limit?: number | undefined }) => {
      const from = Number(cursor ?? 0);
      asked.push(limit);
      const entries = Array.from({ length: Math.min(limit, count - from) }, (_, i) => from + i + 1);
      const end = from + entries.length;
      return Promise.resolve({ entries, nextCursor: end < count ? String(end) : null });
    },
  });
  return { asked, file };
}

async function textOf(chunks: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const chunk of chunks) text += chunk;
  return text;
}

it('writes every entry once, over all pages', async () => {
  const { file } = longList(2_500);
  const { chunks } = await listAsFile({}, file('csv'));
  const lines = (await textOf(chunks)).trimEnd().split('\r\n');
  expect(lines).toEqual(['n', ...Array.from({ length: 2_500 }, (_, i) => String(i + 1))]);
});

it('reads a page only when the one before it was taken', async () => {
  const { asked, file } = longList(1_000_000);
  const { chunks } = await listAsFile({}, file('csv'));
  const reader = chunks[Symbol.asyncIterator]();
  await reader.next();
  await reader.next();
  expect(asked).toHaveLength(1);
  await reader.next();
  expect(asked).toHaveLength(2);
  await reader.return?.();
});

it('holds no more than the limit, and says in JSON where it goes on', async () => {
  const { asked, file } = longList(5_000);
  const { chunks } = await listAsFile({ limit: 1_200 }, file('json'));
  const body = JSON.parse(await textOf(chunks)) as { turns: number[]; nextCursor: string | null };
  expect(asked).toEqual([1_000, 200]);
  expect(body).toMatchObject({ sessionId: session.publicId, nextCursor: '1200' });
  expect(body.turns).toHaveLength(1_200);
  expect(body.turns.at(-1)).toBe(1_200);
});

it('is a table with a head alone where there is nothing', async () => {
  const { file } = longList(0);
  expect(await textOf((await listAsFile({}, file('csv'))).chunks)).toBe('n\r\n');
  expect(JSON.parse(await textOf((await listAsFile({}, file('json'))).chunks))).toMatchObject({ turns: [] });
});
