/** Facts about a session: title, client, branch, and its relation to other sessions. */
import type { TranscriptItemOf } from '../agent-format';
import { asFields, cleanText, type Fields, present } from '../fields';
import { NAME } from './about';
import { readPrompt, SYNTHETIC } from './line';

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
  /** A prompt was read. The next `settle` announces the session: a fork copies its parent's prompts first. */
  prompted: false,
  /** Fingerprint of the last announcement; null before the first. */
  announced: null as string | null,
  firstAt: null as number | null,
};
export type SessionFactsState = typeof EMPTY;

export function createSessionFacts(content: boolean, saved?: SessionFactsState) {
  const facts: SessionFactsState = { ...EMPTY, ...saved };

  return {
    state: facts,
    read(line: Fields): void {
      facts.version = cleanText(line.version, 100) ?? facts.version;
      facts.folder ??= cleanText(line.cwd, 1000);
      facts.branch = cleanText(line.gitBranch, 300) ?? facts.branch;
      const model = line.type === 'assistant' ? cleanText(asFields(line.message)?.model, 200) : null;
      if (model !== SYNTHETIC) facts.model ??= model;
      if (!content) return;
      const title = titleOf(line);
      if (title === null || title.rank < facts.titleRank) return;
      // The newest title of a kind wins. Among prompts, the first one wins.
      if (title.rank === facts.titleRank && !title.newestWins) return;
      facts.title = title.text;
      facts.titleRank = title.rank;
    },
    announce(session: string, at: number): TranscriptItemOf<'session_start'> | null {
      const first = facts.announced === null;
      const { title, version: clientVersion, clientSessionId } = facts;
      const { model, folder, branch, previous, forkedFrom } = facts;
      const fingerprint = JSON.stringify([title, clientVersion, branch, forkedFrom, previous]);
      if (fingerprint === facts.announced) return null;
      facts.announced = fingerprint;
      return {
        type: 'session_start',
        session,
        at,
        // A later announcement adds facts and is not a new start.
        ...(first ? { reason: facts.reason } : {}),
        lens: 'snapshot',
        client: NAME,
        ...present({ title, clientVersion, clientSessionId, model, folder, branch, previous, forkedFrom }),
      };
    },
  };
}

interface Title {
  text: string;
  /** Higher is better. Best first: custom title, generated title, summary, first prompt. */
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
  // The client writes tags and notes in brackets itself.
  if (/^(<[a-z-]+>|Caveat:|\[Request interrupted)/.test(prompt)) return null;
  return makeTitle(prompt, PROMPT_RANK, false);
}

function makeTitle(value: unknown, rank: number, newestWins: boolean): Title | null {
  if (typeof value !== 'string') return null;
  const firstLine = value.split(/[\r\n]/).find((part) => part.trim() !== '');
  const text = cleanText(firstLine, MAX_TITLE);
  return text === null ? null : { text, rank, newestWins };
}

/** `/name arguments` of a command with arguments; a command without arguments is not a title. */
function commandOf(prompt: string): string | null {
  const name = /<command-name>\s*(.+?)\s*<\/command-name>/.exec(prompt)?.[1];
  const args = /<command-args>\s*([\s\S]+?)\s*<\/command-args>/.exec(prompt)?.[1];
  return name === undefined || args === undefined ? null : `${name} ${args}`;
}
