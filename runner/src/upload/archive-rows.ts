/** For each compaction of a database's session, archive the session up to this compaction as a file of lines. */
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TranscriptItemOf } from '../../../core/agents/agent-format';
import { appendEntry, makePrivateFolders, readArchiveIndex } from '../archive/archive-index';
import {
  absolutePath,
  archiveFolder,
  archiveIdOf,
  repoKey,
  sessionName,
  timestampOf,
} from '../archive/archive-names';
import { digestFile } from '../archive/transcript-file';
import { readTranscript } from '../transcripts/database-sources';
import type { CompletionRequest } from './complete-archives';

/** Add an archive for each compaction without one. @throws what the file system and SQLite throw */
export async function archiveRows(
  { path, session, clientSessionId, agent, folder, project, configFolder, now }: CompletionRequest,
  compactions: readonly TranscriptItemOf<'compaction'>[],
): Promise<void> {
  const { entries } = await readArchiveIndex(configFolder);
  const known = new Set(entries.flatMap(({ id, recoveredAt }) => (recoveredAt === undefined ? [id] : [])));
  const repo = absolutePath(folder ?? '/');
  const partials = await makePrivateFolders(configFolder, [repoKey(repo), 'archives', '.partial']);
  for (const { boundary, at = now, trigger } of compactions) {
    const id = archiveIdOf(project, session, boundary ?? '');
    if (boundary === undefined || known.has(id)) continue;
    const own = agent ?? clientSessionId ?? 'unknown';
    const name = `${sessionName(own)}_${timestampOf(at)}_${id}_transcript.jsonl`;
    const partial = join(partials, `${process.pid}-${id}`);
    await writeFile(partial, await readTranscript(path, boundary), { mode: 0o600, flush: true });
    const { bytes, lines, sha256 } = await digestFile(partial);
    const archive = join(archiveFolder(configFolder, repo), name);
    await rename(partial, archive);
    await appendEntry(configFolder, {
      ...{ id, at: new Date(at).toISOString(), state: 'stored', reason: null, asOf: 'completed' },
      ...{ session, clientSessionId: clientSessionId ?? 'unknown', trigger: trigger ?? 'unknown' },
      ...{ cwd: folder, repo, source: archive, archive, bytes, lines, sha256, upload: 'pending', project },
      ...{ boundary, ...(agent ? { agent } : {}) },
    });
  }
}
