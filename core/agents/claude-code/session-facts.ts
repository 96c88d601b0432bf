/** Facts about a session in a line of Claude Code: title, client, branch and model. */
import { asFields, cleanText, type Fields, SYNTHETIC } from '../fields';
import { humanText } from '../human-text';
import { type createSessionFacts, makeTitle, type Title } from '../session-facts';
import { readPrompt } from './line';

export function readFacts({ state: facts, offerTitle }: ReturnType<typeof createSessionFacts>, line: Fields) {
  facts.version = cleanText(line.version, 100) ?? facts.version;
  facts.folder ??= cleanText(line.cwd, 1000);
  facts.branch = cleanText(line.gitBranch, 300) ?? facts.branch;
  const model = line.type === 'assistant' ? cleanText(asFields(line.message)?.model, 200) : null;
  if (model !== SYNTHETIC) facts.model ??= model;
  offerTitle(titleOf(line));
}

/** Ranks of titles. Best first: custom title, generated title, summary, first prompt. */
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
  return prompt === null ? null : makeTitle(humanText(prompt), PROMPT_RANK, false);
}
