/**
 * A list of a session as a file, whatever its length. It is read and written a page at a time: memory stays
 * that of one page, and no transaction stays open while somebody saves a million turns over a slow line. What
 * is recorded behind the place that was reached is in the file too.
 */
import { type CsvCell, toCsvLine } from '../../core/api/csv';
import type { ExportFormat } from '../../core/api/parameters';
import type { SessionRef } from '../../db/queries/find-session';
import type { StreamedFile } from './route-entry';

const PAGE = 1_000;

interface Page<T> {
  entries: T[];
  nextCursor: string | null;
}

interface PageParameters {
  limit?: number | undefined;
  cursor?: string | undefined;
}

interface FileOfList<T, P> {
  /** Of the list, in the file's name and in its JSON. */
  name: 'turns' | 'events';
  session: SessionRef;
  format: ExportFormat;
  head: readonly string[];
  toRow: (entry: T) => CsvCell[];
  read: (parameters: P) => Promise<Page<T>>;
}

/**
 * The first page is read before anything is answered, so that wrong parameters are refused and not half saved.
 * @param parameters of the list; its `limit` is that of the file
 * @throws InvalidParameterError as `read` does
 */
export async function listAsFile<T, P extends PageParameters>(
  parameters: P,
  file: FileOfList<T, P>,
): Promise<StreamedFile> {
  const { name, session, format } = file;
  const most = parameters.limit ?? Number.POSITIVE_INFINITY;
  const first = await file.read({ ...parameters, limit: Math.min(PAGE, most) });
  const pages = readPages(parameters, most, first, file.read);
  const isCsv = format === 'csv';
  return {
    name: `barograph-${name}-${session.publicId}.${format}`,
    contentType: isCsv ? 'text/csv; charset=utf-8; header=present' : 'application/json; charset=utf-8',
    chunks: isCsv ? asCsv(file, pages) : asJson(file, pages),
  };
}

async function* readPages<T, P extends PageParameters>(
  parameters: P,
  most: number,
  first: Page<T>,
  read: (parameters: P) => Promise<Page<T>>,
): AsyncGenerator<Page<T>> {
  let page = first;
  let left = most - page.entries.length;
  yield page;
  while (page.nextCursor !== null && left > 0) {
    page = await read({ ...parameters, cursor: page.nextCursor, limit: Math.min(PAGE, left) });
    left -= page.entries.length;
    yield page;
  }
}

async function* asCsv<T, P>(file: FileOfList<T, P>, pages: AsyncIterable<Page<T>>): AsyncGenerator<string> {
  yield toCsvLine(file.head);
  for await (const { entries } of pages) {
    yield entries.map((entry) => toCsvLine(file.toRow(entry))).join('');
  }
}

/** The shape of the list's own answer, an entry a line. */
async function* asJson<T, P>(
  { name, session }: FileOfList<T, P>,
  pages: AsyncIterable<Page<T>>,
): AsyncGenerator<string> {
  const owner = name === 'turns' ? `"sessionId":${JSON.stringify(session.publicId)},` : '';
  yield `{${owner}"${name}":[`;
  let separator = '\n';
  let nextCursor: string | null = null;
  for await (const page of pages) {
    let text = '';
    for (const entry of page.entries) {
      text += separator + JSON.stringify(entry);
      separator = ',\n';
    }
    nextCursor = page.nextCursor;
    yield text;
  }
  yield `\n],"nextCursor":${JSON.stringify(nextCursor)}}\n`;
}
