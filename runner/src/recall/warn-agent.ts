/**
 * Warns an agent once per context that a compaction is near, in the agent's own context. The fold of the transcript is
 * saved between two hooks, so each hook reads only the new lines.
 */
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { asFields } from '../../../core/agents/fields';
import { sessionName } from '../archive/archive-names';
import { locateTranscript } from '../archive/archive-transcript';
import { readHookInput } from '../archive/read-hook-input';
import { readJson, replaceFile } from '../private-files';
import { readSource } from '../transcripts/collect-sources';
import { type FoldedTranscript, foldTranscript } from '../transcripts/fold-transcript';

const FORMAT = 1;
const SAVED = '.outlook.json';
/** A session that rests longer is folded from its start again. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1000;

interface Saved {
  v: typeof FORMAT;
  reached: FoldedTranscript;
  /** Number of the context that was warned; null: none. */
  warned: number | null;
}

/**
 * The warning for an agent at a prompt or a tool's result; null: none.
 * @param turns at most this many turns before the expected compaction. @throws what the file system throws
 */
export async function warnAgent(
  value: unknown,
  turns: number,
  configFolder: string,
  now: number,
): Promise<string | null> {
  const { transcriptPath, cwd, sessionId, agentId } = readHookInput(value);
  // A sub-agent has its own context, and its file is another.
  if (transcriptPath === null || agentId !== null) return null;
  const source = await readSource(locateTranscript(transcriptPath, cwd));
  if (source === null) return null;
  const folder = join(configFolder, 'recall');
  const file = join(folder, `${sessionName(sessionId)}${SAVED}`);
  const saved = readSaved(file, source.path);
  const { reached, summary } = await foldTranscript(source, saved?.reached);
  const { nextBoundary, forecast, contextCount } = summary;
  const range = nextBoundary?.kind === 'compaction' ? forecast?.turns : null;
  const isDue = range != null && range.mid <= turns && saved?.warned !== contextCount;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (saved === undefined) removeOld(folder, now);
  const warned = isDue ? contextCount : (saved?.warned ?? null);
  replaceFile(file, JSON.stringify({ v: FORMAT, reached, warned } satisfies Saved));
  if (!isDue) return null;
  const about = range.mid === 1 ? 'about one turn' : `about ${range.mid} turns`;
  return `Barograph: ${about} until this conversation is compacted (80 % range ${range.low} to ${range.high}, ${nextBoundary?.left} tokens left). A summary will replace the conversation. Write open tasks and decisions into a file of the project now, for example NOTES.md.`;
}

/** The saved fold of the same file. A damaged file, or one of another version, is made again. */
function readSaved(file: string, path: string): Saved | undefined {
  const saved = asFields(readJson(file)) as Partial<Saved> | null;
  return saved?.v === FORMAT && saved.reached?.feed.path === path ? (saved as Saved) : undefined;
}

function removeOld(folder: string, now: number): void {
  for (const name of readdirSync(folder)) {
    if (!name.endsWith(SAVED)) continue;
    const file = join(folder, name);
    const info = statSync(file, { throwIfNoEntry: false });
    if (info !== undefined && now - info.mtimeMs > KEPT_MS) rmSync(file, { force: true });
  }
}
