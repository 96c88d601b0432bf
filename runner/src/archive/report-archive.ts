/** How archives are reported: log lines for people, items for the server. */
import { present } from '../../../core/agents/fields';
import type { Logger } from '../logger';
import type { EntryOutcome } from '../upload/upload-entry';
import type { ArchiveOutcome } from './archive-transcript';
import type { ArchiveEntry, ArchiveSession } from './archive-types';
import { type HookInput, knownTrigger } from './read-hook-input';

/** INFO with trigger, path and size; WARNING if there was nothing to copy; ERROR if copying failed. */
export function logOutcome(logger: Logger, { entry, indexProblem }: ArchiveOutcome): void {
  const { state, trigger, archive, bytes, reason, source, clientSessionId, agent } = entry;
  const what = agent === undefined ? 'the transcript' : `the file of sub-agent ${shown(agent)}`;
  const fields = { session: clientSessionId, trigger, source, archive, bytes, reason };
  if (state === 'stored') {
    const size = `${((bytes ?? 0) / 1024).toFixed(1)} KB`;
    const text = `PreCompact: archived ${what} (trigger: ${shown(trigger)}) to ${shown(archive ?? '')} (${size})`;
    logger.info(text, fields);
  } else if (state === 'skipped') {
    const session = `session ${shown(clientSessionId)} (trigger: ${shown(trigger)})`;
    const path = source === null ? '' : `: ${shown(source)}`;
    logger.warn(`PreCompact: nothing archived for ${session}, ${reason}${path}`, fields);
  } else {
    const path = `${shown(source ?? '')} (trigger: ${shown(trigger)})`;
    logger.error(`PreCompact: failed to archive ${what} ${path}: ${shown(reason ?? '')}`, fields);
  }
  if (indexProblem !== null) {
    logger.warn(`PreCompact: the index of archives could not be written: ${shown(indexProblem)}`, fields);
  }
}

export function reportPending(session: ArchiveSession, input: HookInput, at: number): void {
  const trigger = knownTrigger(input.trigger);
  if (trigger === null) return;
  session.compaction({ trigger, state: 'pending', at, ...present({ chain: input.agentId }) });
}

export function reportArchive(session: ArchiveSession, entry: ArchiveEntry, at: number): void {
  const { state, reason, archive } = entry;
  session.archive({ state, at, ...present({ reason }), ...fieldsOf(entry, archive) });
}

/** Why the server has no copy, if the session should show the reason; null: nothing new to report. */
export function refusalOf(outcome: EntryOutcome): string | null {
  if (outcome.state === 'stored') return null;
  const { state, reason, failure, isNews } = outcome;
  // Deleted on the server on purpose, or stored there for a session of another project.
  const isKnown = failure?.status === 410 || failure?.answer.code === 'archive_taken';
  if (state === 'refused') return isKnown ? null : `not uploaded: ${reason}`;
  return failure?.isProjectFull && isNews ? `not uploaded yet: ${reason}` : null;
}

export function refusalFields(entry: ArchiveEntry, reason: string, at: number) {
  return { state: 'failed' as const, at, reason, ...fieldsOf(entry, entry.archive ?? entry.source) };
}

function fieldsOf({ id, asOf, bytes, lines, sha256, trigger }: ArchiveEntry, path: string | null) {
  return {
    archive: id,
    version: asOf,
    ...present({ trigger: knownTrigger(trigger), path, bytes, lines, sha256 }),
  };
}

/** One line: a line feed in a file name must not forge a log line. */
function shown(text: string): string {
  return /[\p{Cc}\p{Cf}\u2028\u2029]/u.test(text) ? JSON.stringify(text) : text;
}
