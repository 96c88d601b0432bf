/** Compares downloaded archives with what was uploaded. */
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
  readToken: string;
  adminToken: string;
}

export async function compareDownloads(
  replayed: readonly ReplayedSession[],
  server: Server,
): Promise<ComparedArchive[]> {
  const ids = await listIds(server);
  const compared: ComparedArchive[] = [];
  for (const { name: session, expected, missing } of replayed) {
    for (const { entry, content } of expected) {
      const { asOf: version, agent = null } = entry;
      const difference = await compareOne(server, ids.get(entry.id), content);
      compared.push({ session, version, agent, bytes: content.length, difference });
    }
    for (const reason of missing)
      compared.push({ session, version: '?', agent: null, bytes: 0, difference: `not stored: ${reason}` });
  }
  return compared;
}

async function compareOne(server: Server, id: string | undefined, content: Buffer): Promise<string | null> {
  if (id === undefined) return 'the server does not list it';
  const response = await ask(server.url, server.adminToken, `/api/v1/transcripts/${id}/content`);
  if (!response.ok) return `status ${response.status}`;
  const got = Buffer.from(await response.arrayBuffer());
  if (content.equals(got)) return null;
  const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex').slice(0, 12);
  return `${got.length} bytes (${hash(got)}) in place of ${content.length} (${hash(content)})`;
}

/** The server's id of each archive, by the runner's id. */
async function listIds(server: Server): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for (let cursor: string | null = ''; cursor !== null; ) {
    const place = cursor === '' ? '' : `&cursor=${cursor}`;
    const response = await ask(server.url, server.readToken, `/api/v1/transcripts?limit=500${place}`);
    if (!response.ok) throw new Error(`The server answered the list with status ${response.status}.`);
    const page = (await response.json()) as {
      transcripts: { id: string; archive: string | null }[];
      nextCursor: string | null;
    };
    for (const { id, archive } of page.transcripts) if (archive !== null) ids.set(archive, id);
    cursor = page.nextCursor === null ? null : encodeURIComponent(page.nextCursor);
  }
  return ids;
}

function ask(url: string, token: string, path: string): Promise<Response> {
  return fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } });
}
