/** The archives of a server as a `History`, read through its API. The API checks the token, masks secrets and audits. */
import type { Session } from '../api/session';
import type {
  TranscriptBlock,
  TranscriptEntry,
  TranscriptMessages,
  TranscriptOutline,
  TranscriptSearch,
} from '../api/transcript-contents';
import type { TranscriptLost } from '../api/transcript-lost';
import type { TranscriptList } from '../api/transcripts';
import { maskText } from '../secrets/mask-text';
import { type History, HistoryError, type HistoryHit } from './history';
import { statusLines } from './status-lines';

/** `GET` of a path below `/api/v1`, parsed. @throws HistoryError with the API's reason */
export type ApiGet = <Shape>(
  path: string,
  parameters?: Record<string, string | number | undefined>,
) => Promise<Shape>;

const MAX_ARCHIVES = 100;
const HITS_PER_ARCHIVE = 3;
const SESSIONS = 10;
const SILENT: ReadonlySet<string> = new Set(['record', 'blank']);

export function createApiHistory(get: ApiGet): History {
  const list = async (parameters: Record<string, string | number | undefined>) =>
    (await get<TranscriptList>('/transcripts', { state: 'stored', limit: MAX_ARCHIVES, ...parameters }))
      .transcripts;

  /** @throws HistoryError */
  async function newest(): Promise<string> {
    const [first] = await list({ limit: 1 });
    if (first === undefined) throw new HistoryError('The server has no archived transcript.');
    return first.id;
  }

  return {
    about: 'the transcripts that this server archived before compactions',

    async status({ session }) {
      const parameters =
        session === undefined
          ? { liveness: 'live', limit: SESSIONS }
          : { clientSessionId: session, limit: 1 };
      const { sessions } = await get<{ sessions: Session[] }>('/sessions', parameters);
      const found =
        sessions.length === 0 && session !== undefined
          ? [await get<Session>(`/sessions/${encodeURIComponent(session)}`)]
          : sessions;
      return found.length === 0
        ? ['No active sessions.']
        : (
            await Promise.all(
              found.map(async (one) => statusLines(one.id, { ...one, title: await maskTitle(one.title) })),
            )
          ).flat();
    },

    async search({ query, transcript, limit }) {
      const found = transcript === undefined ? await list({ q: query }) : [];
      // A later archive of a session contains the earlier ones.
      const archives =
        transcript === undefined
          ? found.filter((one, i) => found.findIndex(({ sessionId }) => sessionId === one.sessionId) === i)
          : [{ id: transcript, sessionTitle: null }];
      const hits: HistoryHit[] = [];
      const most = transcript === undefined ? HITS_PER_ARCHIVE : limit;
      for (const { id, sessionTitle } of archives) {
        if (hits.length >= limit) break;
        const title = await maskTitle(sessionTitle);
        const { hits: places } = await get<TranscriptSearch>(
          `/transcripts/${encodeURIComponent(id)}/search`,
          {
            q: query,
            limit: Math.min(most, limit - hits.length),
          },
        );
        for (const { entry, excerpt } of places.slice(0, limit - hits.length))
          hits.push({ transcript: id, title, entry, at: null, excerpt });
      }
      return { hits, note: null };
    },

    async read({ transcript, from, count }) {
      const path = `/transcripts/${encodeURIComponent(transcript)}`;
      const { total } = await entriesOf(path);
      const { entries } = await get<TranscriptMessages>(`${path}/messages`, {
        from,
        count,
        full: count === 1 ? 1 : undefined,
      });
      return { entries: entries.filter(({ kind }) => !SILENT.has(kind)).map(readEntry), total };
    },

    async lost({ transcript, compaction }) {
      if (compaction !== undefined)
        throw new HistoryError('compaction: each archive has one compaction; choose it by its transcript.');
      const id = transcript ?? (await newest());
      const { lost } = await get<TranscriptLost>(`/transcripts/${encodeURIComponent(id)}/lost`);
      return lost === null ? null : { transcript: id, loss: lost };
    },

    async archives() {
      return Promise.all(
        (await list({})).map(async ({ id, sessionTitle, sessionKey, at, bytes }) => ({
          ...{ id, at, bytes, title: (await maskTitle(sessionTitle)) ?? sessionKey },
        })),
      );
    },
  };

  async function entriesOf(path: string): Promise<{ total: number }> {
    const { entries, state, reason } = await get<TranscriptOutline>(`${path}/outline`, { count: 1 });
    if (state !== 'read')
      throw new HistoryError(`transcript: its content is ${state}${reason ? `: ${reason}` : ''}`);
    return { total: entries };
  }
}

/** A client makes a title of the first prompt, and the API does not mask titles. */
const maskTitle = async (title: string | null): Promise<string | null> =>
  title === null ? null : maskText(title);

function readEntry({ entry, kind, at, blocks, raw }: TranscriptEntry) {
  const text = [...blocks.map(textOf), ...(kind === 'raw' && raw ? [raw.text] : [])].join('\n');
  return { entry, kind, at, text };
}

function textOf(block: TranscriptBlock): string {
  if (block.type === 'tool_call') return `${block.name}\n${block.text}`;
  if (block.type === 'tool_result') return block.content.map(textOf).join('\n');
  return 'text' in block ? block.text : '';
}
