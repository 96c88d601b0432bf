/** What is said of an archive: one line to the log, and the session's report to a server. */
import type { Logger } from '../logger';
import type { ArchiveOutcome } from './archive-transcript';
import type { ArchiveEntry, ArchiveSession } from './archive-types';
import { type HookInput, knownTrigger } from './read-hook-input';

/** INFO with trigger, path and size; WARNING where there was nothing to copy; ERROR where copying failed. */
export function logOutcome(logger: Logger, { entry, indexProblem }: ArchiveOutcome): void {
  const { state, trigger, archive, bytes, reason, source, clientSessionId, agent } = entry;
  const what = agent === undefined ? 'the transcript' : `the file of sub-agent ${shown(agent)}`;
  const fields = { session: clientSessionId, trigger, source, archive, bytes, reason };
  if (state === 'stored') {
    const kilobytes = ((bytes ?? 0) / 1024).toFixed(1);
    logger.info(
      `PreCompact: archived ${what} (trigger: ${shown(trigger)}) to ${shown(archive ?? '')} (${kilobytes} KB)`,
      fields,
    );
  } else if (state === 'skipped') {
    const which = source === null ? '' : `: ${shown(source)}`;
    logger.warn(
      `PreCompact: nothing archived for session ${shown(clientSessionId)} (trigger: ${shown(trigger)}), ${reason}${which}`,
      fields,
    );
  } else {
    logger.error(
      `PreCompact: failed to archive ${what} ${shown(source ?? '')} (trigger: ${shown(trigger)}): ${shown(reason ?? '')}`,
      fields,
    );
  }
  if (indexProblem !== null) {
    logger.warn(`PreCompact: the index of archives could not be written: ${shown(indexProblem)}`, fields);
  }
}

/** Tells the session that a compaction is about to begin. Without a trigger the server knows, it says nothing. */
export function reportPending(session: ArchiveSession, input: HookInput, at: number): void {
  const trigger = knownTrigger(input.trigger);
  if (trigger === null) return;
  const chain = input.agentId === null ? {} : { chain: input.agentId };
  session.compaction({ trigger, state: 'pending', at, ...chain });
}

export function reportArchive(session: ArchiveSession, entry: ArchiveEntry, at: number): void {
  const { state, reason, archive, bytes, lines, sha256 } = entry;
  const trigger = knownTrigger(entry.trigger);
  session.archive({
    state,
    at,
    archive: entry.id,
    version: entry.asOf,
    ...(trigger === null ? {} : { trigger }),
    ...(reason === null ? {} : { reason }),
    ...(archive === null ? {} : { path: archive }),
    ...(bytes === null ? {} : { bytes }),
    ...(lines === null ? {} : { lines }),
    ...(sha256 === null ? {} : { sha256 }),
  });
}

/** Another program's text on one line: a name with a line feed must not make a line of the log. */
function shown(text: string): string {
  return /[\p{Cc}\p{Cf}\u2028\u2029]/u.test(text) ? JSON.stringify(text) : text;
}
