/** Names and values of an opened event, and the facts of its archive. */
import type { Session } from '@/core/api/session';
import type { SessionEvent } from '@/core/events/event';
import { archiveSize } from '../../events/describe-event';
import { formatPercent } from '../../format/format-percent';
import { formatExact } from '../../format/format-tokens';
import { CopyButton } from '../../ui/copy-button';
import { FiguresText } from '../../ui/figures-text';
import type { Archive } from './select-event';
import { TranscriptLinks } from './transcript-links';

export type Fact = [name: string, value: React.ReactNode];

export function Facts({ rows }: { rows: readonly Fact[] }) {
  return (
    <dl className="grid grid-cols-[88px_1fr] content-start gap-y-[3px]">
      {rows.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-ink2">{name}</dt>
          <dd className="min-w-0 [overflow-wrap:anywhere]">
            {typeof value === 'string' ? <FiguresText text={value} /> : value}
          </dd>
        </div>
      ))}
    </dl>
  );
}

export function Sentence({ children }: { children: React.ReactNode }) {
  return <p className="mt-[10px] max-w-[64ch] text-ink2">{children}</p>;
}

export function tokensWord(tokens: number | null): string {
  return tokens === null ? 'unknown' : `${formatExact(tokens)} tokens`;
}

export function shareWord(share: number | null): string {
  return share === null ? 'unknown' : formatPercent(share);
}

const OUTCOME: Readonly<Record<Archive['state'], string>> = {
  stored: 'stored',
  skipped: 'skipped',
  failed: 'failed',
  damaged: 'damaged',
  healed: 'restored',
};

/** The outcome of an archive, for its own event and for its compaction. */
export function archiveFacts({ state, detail }: Archive, session: Session, event: SessionEvent): Fact[] {
  const { path, sha256, reason } = detail;
  const rows: Fact[] = [
    ['archive', OUTCOME[state]],
    [
      'transcript',
      <TranscriptLinks key={event.id} sessionId={session.id} event={event} none="not on this server" />,
    ],
  ];
  const isWhole = state === 'stored' || state === 'healed';
  if (!isWhole) rows.push(['reason', reason ?? 'not stated']);
  if (path !== undefined) rows.push(['file', <ArchivePath key="file" path={path} host={session.host} />]);
  if (isWhole) rows.push(['size', archiveSize(detail)]);
  if (sha256 !== undefined) {
    rows.push([
      'sha256',
      <span key="sha256" className="num link decoration-dotted" title={sha256}>
        {sha256.slice(0, 12)}…<span className="sr-only"> {sha256}</span>
      </span>,
    ]);
  }
  return rows;
}

/** The file's name, with the full path on hover and to copy. The file is on the runner's machine. */
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
