/**
 * Follows a hook once its transcript is archived: upload, wait for the compaction's own line or a refusal, record or
 * report the result, upload again. If the process ends earlier, the rest stays pending in the index for the next hook,
 * `barograph watch`, `import` or `archives upload`.
 */
import { awaitBoundary, BOUNDARY_PATIENCE, type BoundaryPatience } from '../upload/await-boundary';
import { noteArchive } from './archive-index';
import { locateTranscript } from './archive-transcript';
import type { ArchiveEntry } from './archive-types';
import type { HookInput } from './read-hook-input';
import { reasonOf, uncompactedFields } from './report-archive';
import { noteSubAgents } from './sub-agents';

export interface HookFollowUp {
  input: HookInput;
  entry: ArchiveEntry;
  /** Session key. */
  session: string;
  project: string;
  /** Absolute. */
  configFolder: string;
  /** False: no text of people or models may be sent. */
  content: boolean;
  /** Uploads pending archives; null if they must stay on this machine. */
  upload: (() => Promise<unknown>) | null;
  /** Reports a compaction that did not happen. */
  reportUncompacted(fields: ReturnType<typeof uncompactedFields>, reason: string): unknown;
  patience?: Partial<BoundaryPatience>;
}

/** @throws what the file system throws for the index. */
export async function followCompaction(followUp: HookFollowUp): Promise<void> {
  const { input, entry, session, project, configFolder, upload } = followUp;
  // Sub-agents have their own files, without the session's compactions.
  if (entry.state !== 'stored' || entry.source === null) return;
  await upload?.();
  if (input.agentId !== null) return;
  const path = locateTranscript(entry.source, input.cwd);
  const clientSessionId = input.sessionId === 'unknown' ? null : input.sessionId;
  const about = { session, clientSessionId, project, configFolder, now: Date.parse(entry.at) };
  const outcome = await awaitBoundary(
    { ...about, path, folder: input.cwd, after: entry.bytes ?? 0, isNoted: upload !== null },
    { ...BOUNDARY_PATIENCE, ...followUp.patience },
  );
  if (outcome.type !== 'completed') {
    const reason = reasonOf(outcome, true);
    await noteArchive(configFolder, entry.id, { uncompacted: reason }).catch(() => undefined);
    const fields = { project, session, content: followUp.content, at: Date.now() };
    await followUp.reportUncompacted(uncompactedFields(entry, outcome, fields), reason);
    return;
  }
  if (upload === null) return;
  const { trigger, cwd, repo } = entry;
  await noteSubAgents({ ...about, transcript: path, trigger, cwd, repo });
  await upload();
}
