/** Known clients for screens and accounting. `registry.ts` is separate, so that a page loads no parsers. */
import type { Client } from './agent-format';
import { aboutClaudeCode, NAME as CLAUDE_CODE } from './claude-code/about';
import { aboutCodex, NAME as CODEX } from './codex/about';
import { aboutGemini, NAME as GEMINI } from './gemini/about';
import { aboutOpencode, NAME as OPENCODE } from './opencode/about';

export const CLIENTS: readonly Client[] = [aboutClaudeCode, aboutCodex, aboutGemini, aboutOpencode];

const labels = CLIENTS.flatMap(({ label, transcripts }) => (transcripts === undefined ? [] : [label]));
/** The names of all clients with local transcripts. `Intl.ListFormat` would add 20 ms to each import of the library. */
export const READ_CLIENTS = `${labels.slice(0, -1).join(', ')} and ${labels.at(-1)}`;

export function clientNamed(name: string | null): Client | undefined {
  return name === null ? undefined : CLIENTS.find(({ names }) => names.test(name));
}

/** Whether a chain is the request of a client for the summary of a compaction. */
export function isSummaryChain(key: string): boolean {
  return CLIENTS.some(({ summaryChain }) => summaryChain !== undefined && key.startsWith(summaryChain));
}

/** The format of an archived file: one of the clients in `registry.ts`, or plain text. */
export const TRANSCRIPT_FORMATS = [CLAUDE_CODE, CODEX, GEMINI, OPENCODE, 'text'] as const;
export type TranscriptFormat = (typeof TRANSCRIPT_FORMATS)[number];
