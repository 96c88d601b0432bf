/** Facts about a session, which a parser announces before its first items and after each change. */
import { cleanName } from '../protocol/clean-name';
import type { ParserOptions, TranscriptItem, TranscriptItemOf } from './agent-format';
import { cutText, present } from './fields';

const EMPTY = {
  title: null as string | null,
  titleRank: 0,
  version: null as string | null,
  folder: null as string | null,
  branch: null as string | null,
  model: null as string | null,
  clientSessionId: null as string | null,
  reason: 'startup' as 'startup' | 'clear' | 'fork',
  previous: null as string | null,
  forkedFrom: null as string | null,
  /** Whether a prompt was read. A fork copies its parent's prompts first, so only `settle` announces the session. */
  prompted: false,
  /** Fingerprint of the last announcement; null before the first. */
  announced: null as string | null,
  firstAt: null as number | null,
};
export type SessionFactsState = typeof EMPTY;

export interface Title {
  text: string;
  /** Higher is better. */
  rank: number;
  newestWins: boolean;
}

const MAX_TITLE = 200;

export function createSessionFacts(
  client: string,
  { identity, announces, content }: ParserOptions,
  saved?: SessionFactsState,
) {
  const { session } = identity;
  const facts: SessionFactsState = { ...EMPTY, ...saved };

  const announce = (at: number): TranscriptItemOf<'session_start'> | null => {
    const first = facts.announced === null;
    const { title, version: clientVersion, clientSessionId } = facts;
    const { model, folder, branch, previous, forkedFrom } = facts;
    const fingerprint = JSON.stringify([title, clientVersion, branch, forkedFrom, previous]);
    if (fingerprint === facts.announced) return null;
    facts.announced = fingerprint;
    return {
      type: 'session_start',
      session,
      at: first ? (facts.firstAt ?? at) : at,
      // A later announcement adds facts and is not a new start.
      ...(first ? { reason: facts.reason } : {}),
      lens: 'snapshot',
      client,
      ...present({ title, clientVersion, clientSessionId, model, folder, branch, previous, forkedFrom }),
    };
  };

  return {
    state: facts,
    /** Take a title if it is better than the known one. Without content, there are no titles. */
    offerTitle(title: Title | null): void {
      if (!content || title === null || title.rank < facts.titleRank) return;
      // The newest title of a kind wins. Among prompts, the first one wins.
      if (title.rank === facts.titleRank && !title.newestWins) return;
      facts.title = title.text;
      facts.titleRank = title.rank;
    },
    /** Returns the items, preceded by an announcement if the facts changed. */
    announced(items: TranscriptItem[], at: number): TranscriptItem[] {
      const start = announces ? announce(at) : null;
      return start === null ? items : [start, ...items];
    },
    /** Whether the session is announced at the end of the file even without further items. */
    isDue: (): boolean => facts.prompted || facts.announced !== null,
    forgetAnnouncement(): void {
      facts.announced = null;
      facts.prompted = false;
    },
  };
}

export function makeTitle(value: unknown, rank: number, newestWins: boolean): Title | null {
  if (typeof value !== 'string') return null;
  for (const line of value.split(/[\r\n]/)) {
    const text = cleanName(line);
    if (text !== null) return { text: cutText(text, MAX_TITLE), rank, newestWins };
  }
  return null;
}
