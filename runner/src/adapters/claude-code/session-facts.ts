/**
 * What a transcript says about its session besides calls: title, client, branch, lineage. It owns the
 * best of each so far and whether the newest was announced; a better title or another branch makes a
 * further `session_start`, which updates the session and starts nothing.
 */
import type { TranscriptItemOf } from '../format';
import { type Fields, fieldsOf, textOf } from './read-fields';
import { titleOf } from './read-title';

export interface SessionFactsState {
  title: string | null;
  titleRank: number;
  version: string | null;
  folder: string | null;
  branch: string | null;
  model: string | null;
  clientSessionId: string | null;
  reason: 'startup' | 'clear' | 'fork';
  previous: string | null;
  forkedFrom: string | null;
  /** Fingerprint of what was announced last; null before the first time. */
  announced: string | null;
  firstAt: number | null;
}

export interface SessionFacts {
  /** Takes what an enveloped or a title line says. */
  read(line: Fields): void;
  note(facts: Partial<SessionFactsState>): void;
  /** The `session_start` that is due, if any. */
  announce(session: string, at: number): TranscriptItemOf<'session_start'> | null;
  readonly state: SessionFactsState;
}

const EMPTY: SessionFactsState = {
  title: null,
  titleRank: 0,
  version: null,
  folder: null,
  branch: null,
  model: null,
  clientSessionId: null,
  reason: 'startup',
  previous: null,
  forkedFrom: null,
  announced: null,
  firstAt: null,
};

export function createSessionFacts(content: boolean, saved?: SessionFactsState): SessionFacts {
  const facts: SessionFactsState = { ...EMPTY, ...saved };

  return {
    state: facts,
    read(line) {
      facts.version = textOf(line, 'version', 100) ?? facts.version;
      facts.folder ??= textOf(line, 'cwd', 1000) ?? null;
      facts.branch = textOf(line, 'gitBranch', 300) ?? facts.branch;
      const message = fieldsOf(line, 'message');
      const model = message === undefined ? undefined : textOf(message, 'model', 200);
      if (line.type === 'assistant' && model !== undefined && model !== '<synthetic>') facts.model ??= model;
      if (!content) return;
      const title = titleOf(line);
      if (title === null || title.rank < facts.titleRank) return;
      // A person's and a model's titles are replaced by newer ones; of prompts the first names the session.
      if (title.rank === facts.titleRank && !title.newestWins) return;
      facts.title = title.text;
      facts.titleRank = title.rank;
    },
    note(more) {
      Object.assign(facts, more);
    },
    announce(session, at) {
      const first = facts.announced === null;
      const said = JSON.stringify([
        facts.title,
        facts.version,
        facts.branch,
        facts.forkedFrom,
        facts.previous,
      ]);
      if (said === facts.announced) return null;
      facts.announced = said;
      return {
        type: 'session_start',
        session,
        at,
        // Only the first says why: a later one brings better facts and starts nothing.
        ...(first ? { reason: facts.reason } : {}),
        lens: 'snapshot',
        client: 'claude-code',
        ...present('title', facts.title),
        ...present('clientVersion', facts.version),
        ...present('clientSessionId', facts.clientSessionId),
        ...present('model', facts.model),
        ...present('folder', facts.folder),
        ...present('branch', facts.branch),
        ...present('previous', facts.previous),
        ...present('forkedFrom', facts.forkedFrom),
      };
    },
  };
}

function present<N extends string>(name: N, value: string | null): { [K in N]?: string } {
  return (value === null ? {} : { [name]: value }) as { [K in N]?: string };
}
