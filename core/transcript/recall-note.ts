/**
 * The recall note: what a compaction dropped and the client's summary does not contain, for the agent that continues.
 * Every part fits into one budget of tokens. Secrets are masked already, because the loss was read from masked bytes.
 */
import { cutText } from '../agents/fields';
import type { TranscriptLost } from '../api/transcript-lost';

export type RecallSource = Pick<
  NonNullable<TranscriptLost['lost']>,
  'summary' | 'prompts' | 'tasks' | 'filesNotNamed' | 'toolsNotNamed'
>;

interface RecallOptions {
  /** Tokens of the whole note. */
  budget?: number;
  estimate(text: string): number;
  /** How the agent finds the rest, one sentence. */
  lookUp: string;
}

interface RecallNote {
  text: string;
  tokens: number;
  /** The listed files and commands, in the order of the note. */
  files: string[];
  commands: string[];
  /** Messages that did not fit. */
  omitted: number;
}

const RECALL_BUDGET = 1_500;
const MAX_TASKS = 10;
const MAX_FAILURES = 4;
const MAX_COMMANDS = 3;
/** An agent seldom repeats a command that is longer than this, such as a commit with its message. */
const MAX_COMMAND = 100;
const MAX_FILES = 8;
/** Files that the agent read only once and never changed. */
const MAX_READ_ONCE = 3;
const MAX_LINE = 160;
/** Share of the budget for lists, if the messages need more than the rest. */
const LIST_SHARE = 0.4;
/** Shortest part of a message that still shows its subject. */
const MIN_MESSAGE = 60;
const HEAD = 'Barograph read the transcript. The summary does not contain the following:';
/** Some clients give no summary, or give it only after the note is due. */
const HEAD_ALONE =
  'Barograph read the transcript. The context before the compaction contained the following:';
const TITLES = {
  prompts: 'Messages of the user, verbatim, newest first:',
  tasks: 'Open tasks:',
  files: 'Files read or changed, most useful first:',
  failures: 'Attempts that failed and did not succeed later:',
  commands: 'Commands run several times:',
};

/** Null: the summary contains everything. */
export function makeRecallNote(source: RecallSource, options: RecallOptions): RecallNote | null {
  const { budget = RECALL_BUDGET, estimate, lookUp } = options;
  const prompts = repeatsCounted(source.prompts.filter(({ isNamed }) => !isNamed).reverse());
  const files = rankFiles(source.filesNotNamed);
  const { failures, commands } = sortCommands(source.toolsNotNamed);
  const head = source.summary === null ? HEAD_ALONE : HEAD;
  const frame = estimate(`${head}\n${lookUp}\n`);
  const lists = [
    { title: TITLES.tasks, lines: source.tasks.slice(0, MAX_TASKS).map(taskLine) },
    { title: TITLES.files, lines: files.map(fileLine) },
    { title: TITLES.commands, lines: commands.map(commandLine) },
    { title: TITLES.failures, lines: failures.map(failureLine) },
  ];
  if (prompts.length === 0 && lists.every(({ lines }) => lines.length === 0)) return null;
  const wanted = prompts.map(({ text, times }) => messageLine(text, times, text.length));
  const needed = prompts.length === 0 ? 0 : sumOf([TITLES.prompts, ...wanted], estimate);
  const forLists = Math.max(budget - frame - needed, (budget - frame) * LIST_SHARE);
  const shown = fitLists(lists, forLists, estimate);
  const rest = budget - frame - shown.reduce((sum, { tokens }) => sum + tokens, 0);
  const messages = fitMessages(prompts, rest, estimate);
  const parts = [
    head,
    ...(messages.length === 0 ? [] : [TITLES.prompts, ...messages]),
    ...shown.flatMap(({ title, lines }) => (lines.length === 0 ? [] : [title, ...lines])),
    lookUp,
  ];
  const text = parts.join('\n');
  return {
    text,
    tokens: estimate(text),
    files: files.slice(0, shown[1]?.lines.length).map(({ path }) => path),
    commands: commands.slice(0, shown[2]?.lines.length).map(({ label }) => label),
    omitted: prompts.length - messages.length,
  };
}

/** Line breaks cost tokens too. */
const sumOf = (lines: readonly string[], estimate: RecallOptions['estimate']) =>
  lines.reduce((sum, line) => sum + estimate(`${line}\n`), 0);

interface List {
  title: string;
  lines: string[];
}

/** Takes one line of each list in turn, so that a long list cannot displace a short one. */
function fitLists(lists: readonly List[], budget: number, estimate: RecallOptions['estimate']) {
  const shown = lists.map(({ title }) => ({ title, lines: [] as string[], tokens: 0 }));
  let left = budget;
  for (let index = 0; lists.some(({ lines }) => index < lines.length); index += 1) {
    for (const [place, { title, lines }] of lists.entries()) {
      const [line, list] = [lines[index], shown[place]];
      if (line === undefined || list === undefined || list.lines.length < index) continue;
      const tokens = estimate(`${index === 0 ? `${title}\n` : ''}${line}\n`);
      if (tokens > left) continue;
      left -= tokens;
      list.tokens += tokens;
      list.lines.push(line);
    }
  }
  return shown;
}

interface Prompt {
  text: string;
  times: number;
}

/** Equal messages, such as "continue", are one line. */
function repeatsCounted(prompts: readonly { text: string }[]): Prompt[] {
  const byText = new Map<string, Prompt>();
  for (const { text } of prompts) {
    const known = byText.get(text);
    if (known === undefined) byText.set(text, { text, times: 1 });
    else known.times += 1;
  }
  return [...byText.values()];
}

/** Shortens the longest messages until all fit. If short parts of all messages do not fit, the oldest are omitted. */
function fitMessages(
  prompts: readonly Prompt[],
  budget: number,
  estimate: RecallOptions['estimate'],
): string[] {
  const linesOf = (length: number) => prompts.map(({ text, times }) => messageLine(text, times, length));
  const isFitting = (lines: readonly string[]) => sumOf([TITLES.prompts, ...lines], estimate) <= budget;
  let most = Math.max(MIN_MESSAGE, ...prompts.map(({ text }) => text.length));
  let lines = linesOf(most);
  while (most > MIN_MESSAGE && !isFitting(lines)) {
    most = Math.max(MIN_MESSAGE, Math.floor(most * 0.8));
    lines = linesOf(most);
  }
  while (lines.length > 0 && !isFitting(lines)) lines.pop();
  return lines;
}

function messageLine(text: string, times: number, most: number): string {
  const isCut = text.length > most;
  const shown = isCut ? cutText(text, most) : text;
  const rest = isCut ? ` [${text.length - shown.length + 1} characters more]` : '';
  return `- "${shown.trim()}"${rest}${times > 1 ? ` (${times} times)` : ''}`;
}

const taskLine = ({ text, isStarted }: RecallSource['tasks'][number]) =>
  `- ${cutText(text, MAX_LINE)}${isStarted ? ' (started)' : ''}`;

type LostFile = RecallSource['filesNotNamed'][number];

/** An agent returns to files that it changed or read again, and to the files of its latest steps. */
function rankFiles(files: readonly LostFile[]): LostFile[] {
  const newest = files.toSorted((a, b) => b.entry - a.entry);
  const isReadOnce = ({ reads, changes }: LostFile) => changes === 0 && reads === 1;
  const worked = newest.filter((file) => !isReadOnce(file));
  return [...worked, ...newest.filter(isReadOnce).slice(0, MAX_READ_ONCE)].slice(0, MAX_FILES);
}

function fileLine({ path, reads, changes }: LostFile): string {
  const counts = [changes > 0 && `changed ${changes}×`, reads > 0 && `read ${reads}×`].filter(Boolean);
  return `- ${path} (${counts.join(', ')})`;
}

interface CommandUse {
  label: string;
  times: number;
  entry: number;
  problem: string | null;
}

/** Tools that run a command of the label. */
const SHELLS = /bash|shell|exec|command/i;

/** Commands by frequency, and commands of which the last run failed, newest first. */
function sortCommands(tools: RecallSource['toolsNotNamed']) {
  const uses = new Map<string, CommandUse>();
  for (const { tool, label, entry, isError, problem } of tools) {
    if (label === null || !SHELLS.test(tool)) continue;
    const use = uses.get(label) ?? { label, times: 0, entry, problem };
    uses.set(label, { label, times: use.times + 1, entry, problem: isError ? (problem ?? '') : null });
  }
  const all = [...uses.values()].toSorted((a, b) => b.times - a.times || b.entry - a.entry);
  return {
    commands: all
      .filter(({ label, times, problem }) => times > 1 && problem === null && label.length <= MAX_COMMAND)
      .slice(0, MAX_COMMANDS),
    failures: all
      .filter(({ problem }) => problem !== null)
      .toSorted((a, b) => b.entry - a.entry)
      .slice(0, MAX_FAILURES),
  };
}

const commandLine = ({ label, times }: CommandUse) => `- ${label} (${times}×)`;
const failureLine = ({ label, problem }: CommandUse) =>
  `- ${cutText(label, MAX_LINE)}${problem ? `: ${cutText(problem, MAX_LINE)}` : ''}`;
