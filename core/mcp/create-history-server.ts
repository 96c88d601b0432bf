/**
 * An MCP server with tools that read transcripts. Every answer is text with a bound, because it enters the context of an
 * agent.
 */
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { cutText } from '../agents/fields';
import { makeRecallNote } from '../transcript/recall-note';
import { type History, type HistoryEntry, HistoryError, type HistoryLoss } from './history';

interface HistoryServerOptions {
  version: string;
  /** Tokens of a text. */
  estimate(text: string): number;
}

/** Characters of one answer, and of one entry unless it is the only one. */
const MAX_ANSWER = 24_000;
const MAX_ENTRY = 4_000;
const MAX_LISTED = 40;
const MAX_LINE = 300;
const ARCHIVES = 'barograph://archives/';

const transcript = z
  .string()
  .max(200)
  .optional()
  .describe('Id of a transcript, as search_history returns it; default: the newest one');
const compaction = z
  .int()
  .min(1)
  .max(100_000)
  .optional()
  .describe('Number of the compaction in the transcript, from 1; default: the last one');
const readOnly = { readOnlyHint: true, openWorldHint: false };

export function createHistoryServer(
  history: History,
  { version, estimate }: HistoryServerOptions,
): McpServer {
  const { about } = history;
  const server = new McpServer(
    { name: 'barograph', title: 'Barograph', version },
    {
      instructions: `Reads ${about}. Use it when a compaction dropped something that you need again: search_history finds where something was said or done, read_history returns that part verbatim, what_was_lost and recall_note list what the summary does not contain. Secrets are masked.`,
    },
  );
  const tool = <Asked>(
    name: string,
    description: string,
    inputSchema: z.ZodType<Asked>,
    answer: (asked: Asked) => Promise<string>,
  ) =>
    server.registerTool(name, { description, inputSchema, annotations: readOnly }, async (asked) => {
      try {
        return textResult(await answer(asked));
      } catch (error) {
        if (error instanceof HistoryError) return { ...textResult(error.message), isError: true };
        throw error;
      }
    });

  tool(
    'context_status',
    'How full the context is: tokens in use, window, next compaction or restart with its forecast, and past compactions.',
    z.strictObject({
      session: z.string().max(200).optional().describe('Id of a session; default: the newest one'),
    }),
    async (asked) => (await history.status(asked)).join('\n'),
  );

  tool(
    'search_history',
    `Find a phrase of whole words, case-insensitive, in ${about}. Returns the transcript, entry, time and text around each match.`,
    z.strictObject({
      query: z.string().min(1).max(200),
      transcript: transcript.describe('Search only this transcript; default: all'),
      limit: z.int().min(1).max(50).default(10),
    }),
    async (asked) => {
      const { hits, note } = await history.search(asked);
      const lines = hits.map(
        ({ transcript: id, title, entry, at, excerpt }) =>
          `${id} #${entry}${at === null ? '' : ` ${at}`}${title === null ? '' : ` "${cutText(title, 60)}"`}: ${excerpt}`,
      );
      return [...(lines.length === 0 ? ['No matches.'] : lines), ...(note === null ? [] : [note])].join('\n');
    },
  );

  tool(
    'read_history',
    'Read entries of a transcript verbatim. Long entries are cut; request a single entry to read more of it.',
    z.strictObject({
      transcript: z.string().max(200).describe('Id of a transcript, as search_history returns it'),
      from: z.int().min(0).describe('Number of the first entry'),
      count: z.int().min(1).max(200).default(20),
    }),
    async (asked) => formatEntries(await history.read(asked), asked.count === 1),
  );

  tool(
    'what_was_lost',
    'What a compaction dropped and its summary does not contain: messages of the user, files, commands, errors, open tasks.',
    z.strictObject({ transcript, compaction }),
    async (asked) => {
      const found = await history.lost(asked);
      return found === null ? 'Nothing was compacted.' : formatLoss(found.transcript, found.loss);
    },
  );

  tool(
    'recall_note',
    'A short note of what a compaction dropped, most useful first, within a budget of tokens.',
    z.strictObject({ transcript, compaction, budget: z.int().min(100).max(10_000).default(1_500) }),
    async ({ budget, ...asked }) => {
      const found = await history.lost(asked);
      if (found === null) return 'Nothing was compacted.';
      const lookUp = `Look up the rest with search_history and read_history in transcript ${found.transcript}.`;
      return (
        makeRecallNote(found.loss, { budget, estimate, lookUp })?.text ?? 'The summary contains everything.'
      );
    },
  );

  server.registerResource(
    'archive',
    new ResourceTemplate(`${ARCHIVES}{id}`, {
      list: async () => ({
        resources: (await history.archives()).map(({ id, title, at, bytes }) => ({
          uri: `${ARCHIVES}${id}`,
          name: title,
          description: `Transcript before the compaction of ${at}${bytes === null ? '' : `, ${bytes} bytes`}`,
          mimeType: 'text/plain',
        })),
      }),
    }),
    { description: 'A transcript that was archived before a compaction. Secrets are masked.' },
    async (uri, { id }) => {
      const part = await history.read({ transcript: String(id), from: 0, count: 200 });
      return { contents: [{ uri: uri.href, mimeType: 'text/plain', text: formatEntries(part, false) }] };
    },
  );
  return server;
}

const textResult = (text: string) => ({ content: [{ type: 'text' as const, text }] });

function formatEntries(
  { entries, total }: { entries: readonly HistoryEntry[]; total: number | null },
  isSingle: boolean,
): string {
  const parts: string[] = [];
  let length = 0;
  for (const { entry, kind, at, text } of entries) {
    const most = isSingle ? MAX_ANSWER : MAX_ENTRY;
    const cut = text.length > most ? `\n[cut: ${text.length} characters]` : '';
    const part = `#${entry} ${kind}${at === null ? '' : ` ${at}`}\n${text.slice(0, most)}${cut}`;
    length += part.length;
    if (parts.length > 0 && length > MAX_ANSWER) {
      parts.push(`[the rest did not fit: continue from entry ${entry}]`);
      break;
    }
    parts.push(part);
  }
  const end = total === null ? '' : ` The transcript has ${total} entries.`;
  return parts.length === 0 ? `No messages in this range.${end}` : parts.join('\n\n');
}

function formatLoss(id: string, loss: HistoryLoss): string {
  const {
    compaction: at,
    tokens,
    gone,
    prompts,
    filesNotNamed,
    toolsNotNamed,
    toolsNotNamedTotal,
    tasks,
  } = loss;
  const sizes = [
    ...(tokens.before === null ? [] : [`${tokens.before} tokens before`]),
    ...(tokens.after === null ? [] : [`${tokens.after} after`]),
  ].join(', ');
  const kinds = Object.entries(gone.kinds).map(([kind, count]) => `${count} ${kind}`);
  const lost = prompts.filter(({ isNamed }) => !isNamed).reverse();
  const failures = toolsNotNamed.filter(({ isError }) => isError);
  return [
    `Transcript ${id}, compaction at entry ${at.entry}${at.at === null ? '' : ` (${at.at})`}${sizes && `: ${sizes}`}.`,
    `Dropped ${gone.messages} messages (${kinds.join(', ')}), entries ${loss.from} to ${at.entry}.`,
    loss.summary === null
      ? 'The summary is unknown.'
      : `The summary has ${loss.summary.characters} characters.`,
    ...list(
      'Messages of the user that the summary does not contain, newest first',
      lost,
      ({ entry, text }) => `#${entry} ${text}`,
    ),
    ...list('Open tasks', tasks, ({ text }) => text),
    ...list(
      'Files that the summary does not name',
      filesNotNamed,
      ({ entry, path, reads, changes }) => `#${entry} ${path} (read ${reads}×, changed ${changes}×)`,
    ),
    ...list(
      'Errors',
      failures,
      ({ entry, tool, label, problem }) => `#${entry} ${tool} ${label ?? ''}: ${problem ?? ''}`,
    ),
    ...list(
      'Other tool calls that the summary does not name',
      toolsNotNamed.filter(({ isError }) => !isError),
      ({ entry, tool, label }) => `#${entry} ${tool} ${label ?? ''}`,
      toolsNotNamedTotal - failures.length,
    ),
  ].join('\n');
}

function list<T>(
  title: string,
  items: readonly T[],
  line: (item: T) => string,
  total = items.length,
): string[] {
  if (items.length === 0) return [];
  const shown = items.slice(0, MAX_LISTED).map((item) => `- ${cutText(line(item), MAX_LINE)}`);
  const more = total > shown.length ? [`- and ${total - shown.length} more`] : [];
  return [`${title}:`, ...shown, ...more];
}
