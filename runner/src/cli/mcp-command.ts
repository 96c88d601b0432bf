import { resolve } from 'node:path';
import { CONFIG_OPTION, type Command, type CommandContext } from './command';
import { configFolderFor, readOrExplain } from './connection';

export const mcpCommand: Command = {
  name: 'mcp',
  summary: 'let an agent search its own history (Model Context Protocol)',
  usage: 'barograph mcp [FOLDER] [OPTIONS]',
  details: `An MCP server on stdin and stdout. An agent's client starts it. Its tools read the transcripts of the sessions
that worked in FOLDER (default: this one) or below it, also from before compactions, and the archives of this machine:

context_status    how full the context is, and when the next compaction is expected
search_history    find a phrase
read_history      read messages verbatim
what_was_lost     what a compaction dropped
recall_note       a short note of it

It reads files only, needs no server, and masks secrets. For Claude Code, add it once:
claude mcp add --scope user barograph -- npx barograph mcp`,
  options: CONFIG_OPTION,
  positionals: { least: 0, most: 1 },
  run: runMcp,
};

async function runMcp({ positionals, values, signal, now, out }: CommandContext): Promise<number> {
  const folder = resolve(positionals[0] ?? '.');
  const configFolder = configFolderFor(values);
  const { transcripts } = readOrExplain(values);
  const { serveLocalHistory } = await import('../mcp/serve-local-history');
  await serveLocalHistory({ settings: { transcripts }, configFolder, folder, now }, signal, (error) =>
    out.problem(error.message),
  );
  return 0;
}
