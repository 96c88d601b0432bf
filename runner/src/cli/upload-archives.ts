import type { ClientPool } from '../transcripts/project-clients';
import type { EntryUpload } from '../upload/upload-entry';
import { type PendingSummary, type PendingUpload, uploadPending } from '../upload/upload-pending';
import { nameOf, tellRefusal } from './archive-hand-over';
import type { CommandContext, Output } from './command';
import { formatBytes, formatCount } from './output';

/** Hands over what is pending, with a line of progress. @returns what became of it; null where it was interrupted. */
export async function uploadArchives(
  upload: EntryUpload,
  clients: ClientPool,
  { out, signal, now }: Pick<CommandContext, 'out' | 'signal' | 'now'>,
  patienceMs: number,
  isWanted?: PendingUpload['isWanted'],
): Promise<PendingSummary | null> {
  let place = '';
  try {
    return await uploadPending({
      ...upload,
      ...(isWanted === undefined ? {} : { isWanted }),
      options: {
        signal,
        timing: { patienceMs },
        onProgress: ({ bytes, totalBytes }) =>
          out.progress(`archive ${place}: ${formatBytes(bytes)} of ${formatBytes(totalBytes)}`),
        onPause: (reason) => out.progress(`archive ${place}: ${reason}; trying again`),
      },
      onBegin: (_entry, index, total) => {
        place = `${index + 1} of ${total}`;
        out.progress(`archive ${place}`);
      },
      onOutcome: async (entry, outcome) => {
        const isFault = outcome.state !== 'stored' && !(outcome.state === 'waiting' && outcome.isUnsupported);
        if (isFault) out.problem(`not handed over: ${nameOf(entry)}: ${outcome.reason}`);
        await tellRefusal(clients, entry, outcome, now());
      },
    });
  } catch (error) {
    if (!signal.aborted) throw error;
    return null;
  } finally {
    out.progress(null);
  }
}

export function printArchives(out: Output, summary: PendingSummary): void {
  const { stored, refused, waiting, bytes, sentBytes, wireBytes } = summary;
  if (stored > 0) {
    out.line(
      `Handed over ${formatCount(stored, 'archive')} (${formatBytes(bytes)}; ${formatBytes(sentBytes)} of it new ` +
        `to the server, ${formatBytes(wireBytes)} on the way).`,
    );
  }
  if (refused > 0) out.problem(`${formatCount(refused, 'archive')} will not be handed over.`);
  if (waiting === 0) return;
  const left = `${formatCount(waiting, 'archive')} still to be handed over: ${(summary.reason ?? '').replace(/\.$/, '')}.`;
  // A server that is older is no fault of this run.
  if (summary.isUnsupported) out.line(left);
  else out.problem(left);
}

/** Whether every archive is where it belongs, as far as this run could bring it there. */
export function areWhole({ refused, waiting, isUnsupported }: PendingSummary): boolean {
  return refused === 0 && (waiting === 0 || isUnsupported);
}
