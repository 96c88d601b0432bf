/** Holds what a server hands out against what was handed over. */
import { createHash } from 'node:crypto';
import type { ReplayedSession } from './replay-session';

export interface ComparedArchive {
  session: string;
  version: string;
  agent: string | null;
  bytes: number;
  /** Null: byte for byte the same. */
  difference: string | null;
}

interface Server {
  url: string;
  /** Lists are for scope `read`. */
  readToken: string;
  /** Original bytes are for scope `admin` alone. */
  adminToken: string;
}

export async function compareDownloads(
  replayed: readonly ReplayedSession[],
  server: Server,
): Promise<ComparedArchive[]> {
  const ids = await listIds(server);
  const compared: ComparedArchive[] = [];
  for (const { name, expected, missing } of replayed) {
    for (const { entry, content } of expected) {
      const got = await download(server, ids.get(entry.id));
      compared.push({
        session: name,
        version: entry.asOf,
        agent: entry.agent ?? null,
        bytes: content.length,
        difference: typeof got === 'string' ? got : differenceOf(content, got),
      });
    }
    for (const reason of missing) {
      compared.push({
        session: name,
        version: '?',
        agent: null,
        bytes: 0,
        difference: `not there: ${reason}`,
      });
    }
  }
  return compared;
}

function differenceOf(content: Buffer, got: Buffer): string | null {
  if (content.equals(got)) return null;
  const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex').slice(0, 12);
  return `${got.length} bytes (${hash(got)}) in place of ${content.length} (${hash(content)})`;
}

/** The server's id of each archive, by the runner's. */
async function listIds(server: Server): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for (let cursor: string | null = ''; cursor !== null; ) {
    const place = cursor === '' ? '' : `&cursor=${cursor}`;
    const response = await ask(server.url, server.readToken, `/api/v1/transcripts?limit=500${place}`);
    if (!response.ok) throw new Error(`The list was answered with status ${response.status}.`);
    const page = (await response.json()) as {
      transcripts: { id: string; archive: string | null }[];
      nextCursor: string | null;
    };
    for (const { id, archive } of page.transcripts) if (archive !== null) ids.set(archive, id);
    cursor = page.nextCursor === null ? null : encodeURIComponent(page.nextCursor);
  }
  return ids;
}

/** The bytes, or why there are none. */
async function download(server: Server, id: string | undefined): Promise<Buffer | string> {
  if (id === undefined) return 'the server does not list it';
  const response = await ask(server.url, server.adminToken, `/api/v1/transcripts/${id}/content`);
  if (!response.ok) return `status ${response.status}`;
  return Buffer.from(await response.arrayBuffer());
}

function ask(url: string, token: string, path: string): Promise<Response> {
  return fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } });
}
