/** Facts of a session besides its calls: the best title, client, branch and lineage. */
import type { TranscriptItemOf } from '../agent-format';
import { asFields, cleanText, type Fields } from '../fields';
import { NAME } from './about';
import { readPrompt, SYNTHETIC } from './line';

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
  /** Fingerprint of the last announcement; null before the first. */
  announced: string | null;
  firstAt: number | null;
}

export interface SessionFacts {
  read(line: Fields): void;
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
      facts.version = cleanText(line.version, 100) ?? facts.version;
      facts.folder ??= cleanText(line.cwd, 1000);
      facts.branch = cleanText(line.gitBranch, 300) ?? facts.branch;
      const model = line.type === 'assistant' ? cleanText(asFields(line.message)?.model, 200) : null;
      if (model !== SYNTHETIC) facts.model ??= model;
      if (!content) return;
      const title = titleOf(line);
      if (title === null || title.rank < facts.titleRank) return;
      // The newest title wins, but the first prompt names the session.
      if (title.rank === facts.titleRank && !title.newestWins) return;
      facts.title = title.text;
      facts.titleRank = title.rank;
    },
    announce(session, at) {
      const first = facts.announced === null;
      const fingerprint = JSON.stringify([
        facts.title,
        facts.version,
        facts.branch,
        facts.forkedFrom,
        facts.previous,
      ]);
      if (fingerprint === facts.announced) return null;
      facts.announced = fingerprint;
      return {
        type: 'session_start',
        session,
        at,
        // A later announcement brings better facts and starts nothing.
        ...(first ? { reason: facts.reason } : {}),
        lens: 'snapshot',
        client: NAME,
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

interface Title {
  text: string;
  /** Higher is better: custom title, generated title, summary, first prompt. */
  rank: number;
  newestWins: boolean;
}

const MAX_TITLE = 200;
const PROMPT_RANK = 1;
const NAMED: Record<string, { field: string; rank: number }> = {
  'custom-title': { field: 'customTitle', rank: 4 },
  'ai-title': { field: 'aiTitle', rank: 3 },
  summary: { field: 'summary', rank: 2 },
};

function titleOf(line: Fields): Title | null {
  const named = typeof line.type === 'string' ? NAMED[line.type] : undefined;
  if (named !== undefined) return makeTitle(line[named.field], named.rank, true);
  if (line.type !== 'user' || line.isSidechain === true || line.isMeta === true) return null;
  if (line.isCompactSummary === true || line.repeatsCompactSummary === true) return null;
  const prompt = readPrompt(line);
  if (prompt === null) return null;
  const command = commandOf(prompt);
  if (command !== null) return makeTitle(command, PROMPT_RANK, false);
  // The client's own tags and bracketed notes are not the person's words.
  if (/^(<[a-z-]+>|Caveat:|\[Request interrupted)/.test(prompt)) return null;
  return makeTitle(prompt, PROMPT_RANK, false);
}

function makeTitle(value: unknown, rank: number, newestWins: boolean): Title | null {
  if (typeof value !== 'string') return null;
  const firstLine = value.split(/[\r\n]/).find((part) => part.trim() !== '');
  const text = cleanText(firstLine, MAX_TITLE);
  return text === null ? null : { text, rank, newestWins };
}

/** `/name arguments` of a command with arguments; a bare command is no title. */
function commandOf(prompt: string): string | null {
  const name = /<command-name>\s*(.+?)\s*<\/command-name>/.exec(prompt)?.[1];
  const args = /<command-args>\s*([\s\S]+?)\s*<\/command-args>/.exec(prompt)?.[1];
  return name === undefined || args === undefined ? null : `${name} ${args}`;
}
