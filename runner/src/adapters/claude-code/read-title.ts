import { asFields, cleanText, type Fields, fieldsOf } from './read-fields';

export interface Title {
  text: string;
  /** Higher is better: a person's name for it, the client's, a summary, the first prompt. */
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

/** The title a line gives its session, if any. */
export function titleOf(line: Fields): Title | null {
  const named = typeof line.type === 'string' ? NAMED[line.type] : undefined;
  if (named !== undefined) return makeTitle(line[named.field], named.rank, true);
  if (line.type !== 'user' || line.isSidechain === true || line.isMeta === true) return null;
  if (line.isCompactSummary === true || line.repeatsCompactSummary === true) return null;
  const message = fieldsOf(line, 'message');
  const prompt = message === undefined ? null : promptOf(message.content);
  if (prompt === null) return null;
  const command = commandOf(prompt);
  if (command !== null) return makeTitle(command, PROMPT_RANK, false);
  // Text in the client's own tags, and its notes in brackets, are not what the person asked for.
  if (/^(<[a-z-]+>|Caveat:|\[Request interrupted)/.test(prompt)) return null;
  return makeTitle(prompt, PROMPT_RANK, false);
}

function makeTitle(value: unknown, rank: number, newestWins: boolean): Title | null {
  if (typeof value !== 'string') return null;
  const firstLine = value.split(/[\r\n]/).find((part) => part.trim() !== '');
  const text = firstLine === undefined ? undefined : cleanText(firstLine, MAX_TITLE);
  return text === undefined ? null : { text, rank, newestWins };
}

/** What the person typed; null for tool results and pictures. */
export function promptOf(content: unknown): string | null {
  if (typeof content === 'string') return content.trim() || null;
  if (!Array.isArray(content)) return null;
  for (const block of content) {
    const fields = asFields(block);
    if (fields?.type === 'text' && typeof fields.text === 'string' && fields.text.trim() !== '') {
      return fields.text.trim();
    }
  }
  return null;
}

/** `/name arguments` where a prompt is a command with arguments; a bare command names nothing. */
function commandOf(prompt: string): string | null {
  const name = /<command-name>\s*(.+?)\s*<\/command-name>/.exec(prompt)?.[1];
  const args = /<command-args>\s*([\s\S]+?)\s*<\/command-args>/.exec(prompt)?.[1];
  return name === undefined || args === undefined ? null : `${name} ${args}`;
}
