/**
 * What the recall hooks do in a folder where recall is on. Claude Code calls the hook SessionStart before it writes the
 * summary into the transcript. The summary is in the earlier hook SubagentStop of the compaction's own agent, so a
 * private file keeps it until then. Nothing leaves this machine.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { asFields, asText } from '../../../core/agents/fields';
import { sessionName } from '../archive/archive-names';
import { locateTranscript } from '../archive/archive-transcript';
import { type HookInput, readHookInput } from '../archive/read-hook-input';
import { readJson, replaceFile } from '../private-files';
import { readRecallNote } from './read-note';
import type { RecallChoice } from './recall-settings';

/** A summary older than this belongs to another compaction. */
const FRESH_MS = 10 * 60_000;
const ANALYSIS = /<analysis>[\s\S]*?<\/analysis>/;

export interface RecallEvent {
  /** The hook's JSON. */
  value: unknown;
  choice: Exclude<RecallChoice, 'off'>;
  configFolder: string;
  now: number;
}

/** The text for the agent's context; null: none. @throws what the file system throws */
export async function answerRecallEvent({
  value,
  choice,
  configFolder,
  now,
}: RecallEvent): Promise<object | null> {
  const input = readHookInput(value);
  if (input.transcriptPath === null) return null;
  const kept = keptSummary(join(configFolder, 'recall'), input);
  if (input.event === 'SubagentStop') {
    const { agent_type: agent, last_assistant_message: text } = asFields(value) ?? {};
    // Only the agent that writes the summary has no type.
    if (agent === '' && typeof text === 'string') kept.write({ at: now, text });
    return null;
  }
  if (input.event !== 'SessionStart' || input.cause !== 'compact') return null;
  const path = locateTranscript(input.transcriptPath, input.cwd);
  const note = await readRecallNote(path, kept.take(now));
  if (note === null) return null;
  const offer = `Barograph has a note of ${note.tokens} tokens about what this compaction dropped. Ask the user whether to read it; \`barograph recall show ${path}\` prints it.`;
  const additionalContext = choice === 'on' ? note.text : offer;
  return { hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext } };
}

function keptSummary(folder: string, { sessionId }: HookInput) {
  const file = join(folder, `${sessionName(sessionId)}.json`);
  return {
    write(summary: { at: number; text: string }): void {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      replaceFile(file, JSON.stringify(summary));
    },
    take(now: number): string | null {
      const { at, text } = asFields(readJson(file)) ?? {};
      rmSync(file, { force: true });
      // The client leaves out what its agent wrote before the summary.
      return now - Number(at) < FRESH_MS ? (asText(text)?.replace(ANALYSIS, '') ?? null) : null;
    },
  };
}
