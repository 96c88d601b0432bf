/** What is told of a compaction that a hook announced and that never came. */
import { archiveIdOf } from '../archive/archive-id';
import type { ArchiveEntry } from '../archive/archive-types';
import { knownTrigger } from '../archive/read-hook-input';
import type { CompactionOutcome } from './await-boundary';

export type Uncompacted = Exclude<CompactionOutcome, { type: 'completed' }>;

/** @param content false: nothing that another program wrote may leave, so its words are left out. */
export function reasonOf(outcome: Uncompacted, content: boolean): string {
  return outcome.type === 'blocked' && content ? `${outcome.reason}: ${outcome.said}` : outcome.reason;
}

/**
 * The compaction that ended without one, and the archive that there is not: of the version that would reach up to its
 * line. Null where the client did not say what it is.
 */
export function uncompactedFields(
  { id, trigger }: Pick<ArchiveEntry, 'id' | 'trigger'>,
  outcome: Uncompacted,
  about: { project: string; session: string; content: boolean; at: number },
) {
  const known = knownTrigger(trigger);
  const reason = reasonOf(outcome, about.content);
  const { at, project, session } = about;
  return {
    compaction: known === null ? null : { trigger: known, state: outcome.type, reason, at },
    archive: {
      state: 'skipped' as const,
      version: 'completed' as const,
      archive: archiveIdOf(project, session, `uncompacted ${id}`),
      reason: `the compaction did not come: ${reason}`,
      at,
      ...(known === null ? {} : { trigger: known }),
    },
  };
}
