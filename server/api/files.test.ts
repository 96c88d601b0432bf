import { describe, expect, it } from 'vitest';
import { attachment, listChunks, readRange } from './files';

describe('attachment', () => {
  it.each([
    ['session.jsonl', 'session.jsonl'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\Users\\me\\x.txt', 'x.txt'],
    ['.bashrc', 'bashrc'],
    ['..', 'transcript'],
    ['', 'transcript'],
    ['a\r\nSet-Cookie: x', 'a__Set-Cookie_ x'],
    ['"; filename=evil', '_; filename=evil'],
    ['\u202egpj.exe', '_gpj.exe'],
    ['%2e%2e%2f', '_2e_2e_2f'],
  ])('saves %j as %j', (given, name) => {
    expect(attachment(given)).toContain(`filename="${name}"`);
    expect(attachment(given)).not.toMatch(/[\r\n]/);
  });

  it('keeps the whole name in UTF-8', () => {
    expect(attachment("ä'(1).jsonl")).toBe(
      `attachment; filename="_'(1).jsonl"; filename*=UTF-8''%C3%A4%27%281%29.jsonl`,
    );
  });
});

describe('readRange', () => {
  it.each([
    ['bytes=0-0', { from: 0, to: 1 }],
    ['bytes=10-19', { from: 10, to: 20 }],
    ['bytes=90-', { from: 90, to: 100 }],
    ['bytes=90-1000', { from: 90, to: 100 }],
    ['bytes=-5', { from: 95, to: 100 }],
    ['bytes=-500', { from: 0, to: 100 }],
  ])('reads %s of 100 bytes as %j', (header, range) => {
    expect(readRange(header, 100)).toEqual(range);
  });

  it.each([undefined, '', 'bytes=', 'bytes=-', 'bytes=5-4', 'bytes=0-1,5-6', 'lines=0-1', 'bytes=a-b'])(
    'answers %s with the whole',
    (header) => {
      expect(readRange(header, 100)).toBeNull();
    },
  );

  it.each([
    ['bytes=100-', 100],
    ['bytes=100-200', 100],
    ['bytes=-0', 100],
    ['bytes=0-', 0],
  ])('refuses %s of %d bytes', (header, total) => {
    expect(readRange(header, total)).toBe('unsatisfiable');
  });
});

describe('listChunks', () => {
  const session = {
    id: 1,
    publicId: '5f2d3f8e-0000-5000-8000-000000000000',
    title: null,
    project: 'atlas',
    lens: 'snapshot',
    version: 1,
  } as const;

  /** A list of the numbers 1 … `count`; `asked` records the limit of each page read. */
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
    const lines = (await textOf(await listChunks({}, file('csv')))).trimEnd().split('\r\n');
    expect(lines).toEqual(['n', ...Array.from({ length: 2_500 }, (_, i) => String(i + 1))]);
  });

  it('reads a page only after the one before was taken', async () => {
    const { asked, file } = longList(1_000_000);
    const reader = (await listChunks({}, file('csv')))[Symbol.asyncIterator]();
    await reader.next();
    await reader.next();
    expect(asked).toHaveLength(1);
    await reader.next();
    expect(asked).toHaveLength(2);
    await reader.return?.();
  });

  it('stops at the limit, with the cursor of the next entry in JSON', async () => {
    const { asked, file } = longList(5_000);
    const body = JSON.parse(await textOf(await listChunks({ limit: 1_200 }, file('json')))) as {
      turns: number[];
    };
    expect(asked).toEqual([1_000, 200]);
    expect(body).toMatchObject({ sessionId: session.publicId, nextCursor: '1200' });
    expect(body.turns).toHaveLength(1_200);
    expect(body.turns.at(-1)).toBe(1_200);
  });

  it('writes the head of an empty list', async () => {
    const { file } = longList(0);
    expect(await textOf(await listChunks({}, file('csv')))).toBe('n\r\n');
    expect(JSON.parse(await textOf(await listChunks({}, file('json'))))).toMatchObject({ turns: [] });
  });
});
