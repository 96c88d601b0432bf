import type { Session, SessionEvent } from '@/core/api/session';
import { CopyButton } from '../ui/copy-button';
import { archiveSize, word } from './describe-event';
import type { Fact } from './event-facts';
import type { Archive } from './select-event';
import { TranscriptLinks } from './transcript-links';

const OUTCOME: Readonly<Record<Archive['state'], string>> = {
  stored: 'stored',
  skipped: 'skipped',
  failed: 'failed',
  delayed: 'held up',
  damaged: 'damaged',
  healed: 'whole again',
};

/** What became of a transcript: in its own event, and in the compaction it was made for. */
export function archiveFacts({ state, detail }: Archive, session: Session, event: SessionEvent): Fact[] {
  const path = word(detail.path);
  const sha256 = word(detail.sha256);
  const rows: Fact[] = [
    ['archive', OUTCOME[state]],
    [
      'transcript',
      <TranscriptLinks key={event.id} sessionId={session.id} event={event} none="not on this server" />,
    ],
  ];
  const isWhole = state === 'stored' || state === 'healed';
  if (!isWhole) rows.push(['reason', word(detail.reason) || 'not stated']);
  if (path !== '') rows.push(['file', <ArchivePath key="file" path={path} host={session.host} />]);
  if (isWhole) rows.push(['size', archiveSize(detail)]);
  if (sha256 !== '') {
    rows.push([
      'sha256',
      <span key="sha256" className="num link decoration-dotted" title={sha256}>
        {sha256.slice(0, 12)}…<span className="sr-only"> {sha256}</span>
      </span>,
    ]);
  }
  return rows;
}

/** The file's name; the whole path on hover and to copy. It lies on the runner's machine. */
function ArchivePath({ path, host }: { path: string; host: string | null }) {
  const file = path.split(/[\\/]/).at(-1) || path;
  return (
    <span className="flex flex-wrap items-center gap-x-[10px] gap-y-[2px]">
      <span className="link min-w-0 decoration-dotted" title={path}>
        {file}
      </span>
      {host === null ? null : <span className="text-ink2">on {host}</span>}
      <CopyButton text={path} what="the path of the archive" />
    </span>
  );
}
