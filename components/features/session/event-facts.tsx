/** Names and values of an opened event, and of its archive. */
import type { Session } from '@/core/api/session';
import type { SessionEvent } from '@/core/events/event';
import { archiveSize } from '../../events/describe-event';
import { formatExact } from '../../format/format-tokens';
import { CopyButton } from '../../ui/copy-button';
import { FiguresText } from '../../ui/figures-text';
import type { Archive } from './select-event';
import { TranscriptLinks } from './transcript-links';

/** `false` takes no row. */
export type Fact = readonly [name: string, value: React.ReactNode] | false;

export function Facts({ rows, sentence = null }: { rows: readonly Fact[]; sentence?: string | null }) {
  return (
    <div>
      <dl className="grid grid-cols-[88px_1fr] content-start gap-y-[3px]">
        {rows.map((row) =>
          row === false ? null : (
            <div key={row[0]} className="contents">
              <dt className="text-ink2">{row[0]}</dt>
              <dd className="min-w-0 [overflow-wrap:anywhere]">
                {typeof row[1] === 'string' ? <FiguresText text={row[1]} /> : row[1]}
              </dd>
            </div>
          ),
        )}
      </dl>
      {sentence === null ? null : <p className="mt-[10px] max-w-[64ch] text-ink2">{sentence}</p>}
    </div>
  );
}

export function tokensWord(tokens: number | null): string {
  return tokens === null ? 'unknown' : `${formatExact(tokens)} tokens`;
}

/** The outcome of an archive, for its own event and for its compaction. */
export function archiveFacts({ state, detail }: Archive, session: Session, event: SessionEvent): Fact[] {
  const { path, sha256, reason } = detail;
  const isWhole = state === 'stored' || state === 'healed';
  return [
    ['archive', state === 'healed' ? 'restored' : state],
    [
      'transcript',
      <TranscriptLinks key="links" sessionId={session.id} event={event} none="not on this server" />,
    ],
    !isWhole && ['reason', reason ?? 'not stated'],
    path !== undefined && [
      'file',
      // The name of the file on the runner's machine, with its path on hover and to copy.
      <span key="file" className="flex flex-wrap items-center gap-x-[10px] gap-y-[2px]">
        <span className="link min-w-0 decoration-dotted" title={path}>
          {path.split(/[\\/]/).at(-1) || path}
        </span>
        {session.host === null ? null : <span className="text-ink2">on {session.host}</span>}
        <CopyButton text={path} what="the path of the archive" />
      </span>,
    ],
    isWhole && ['size', archiveSize(detail)],
    sha256 !== undefined && [
      'sha256',
      <span key="sha256" className="num link decoration-dotted" title={sha256}>
        {sha256.slice(0, 12)}…<span className="sr-only"> {sha256}</span>
      </span>,
    ],
  ];
}
