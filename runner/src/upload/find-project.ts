/** Which project an archive's session joins: the same that its items joined. */
import { basename } from 'node:path';
import type { ArchiveEntry } from '../archive/archive-types';
import { readMainProject, readSource } from '../transcripts/collect-sources';

export interface ProjectHints {
  /** Project that all sessions join; null: each its own. */
  project: string | null;
  /** Project that a session is known to have joined. */
  projectOf?(session: string): string | undefined;
}

/** Never throws. */
export async function findProject(
  entry: Pick<ArchiveEntry, 'project' | 'session' | 'source' | 'archive' | 'cwd'>,
  hints: ProjectHints,
): Promise<string> {
  const known = entry.project ?? hints.project ?? hints.projectOf?.(entry.session ?? '');
  if (known !== undefined && known !== null) return known;
  return projectOfTranscript(entry.source, entry.cwd);
}

/** As who follows the transcript finds it, so that all reports meet in one session. Never throws. */
export async function projectOfTranscript(path: string | null, folder: string | null): Promise<string> {
  const source = path === null ? null : await readSource(path).catch(() => null);
  if (source !== null) return readMainProject(source);
  return (folder === null ? '' : basename(folder)) || 'default';
}
