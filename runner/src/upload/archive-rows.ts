/**
 * For each compaction of a database's session or a compressed transcript, archive the lines up to this compaction in a
 * plain file.
 */
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TranscriptItemOf } from '../../../core/agents/agent-format';
import { readSigns } from '../../../core/agents/registry';
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
import { isCompressed } from '../transcripts/compressed-files';
import { readTranscript } from '../transcripts/database-sources';
import { readLines } from '../transcripts/read-lines';
import type { CompletionRequest } from './complete-archives';

/** Add an archive for each compaction without one. @throws what the file system and SQLite throw, CompressedFileError */
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
    // An id in the name marks the archive of a database.
    const mark = isCompressed(path) ? '' : `_${id}`;
    const name = `${sessionName(own)}_${timestampOf(at)}${mark}_transcript.jsonl`;
    const partial = join(partials, `${process.pid}-${id}`);
    const content = isCompressed(path) ? readUpTo(path, boundary) : await readTranscript(path, boundary);
    await writeFile(partial, content, { mode: 0o600, flush: true });
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

async function* readUpTo(path: string, boundary: string): AsyncGenerator<string> {
  for await (const { lines } of readLines(path, { from: 0 })) {
    for (const line of lines) {
      yield `${line}\n`;
      if (readSigns('boundary', line).some(({ id }) => id === boundary)) return;
    }
  }
}
