import { keepPreviousData, useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { useMemo } from 'react';
import type { EventDetails } from '@/core/api/responses';
import type { TranscriptRow } from '@/core/api/transcripts';
import type { SessionEvent } from '@/core/events/event';
import { CompactionBar } from '../../charts/compaction-bar';
import { LostKinds } from '../../charts/lost-kinds';
import { lostQuery, sessionTranscriptsQuery } from '../../data/session-transcripts';
import { archiveSize, COMPACTION_STATE, compactionSizes } from '../../events/describe-event';
import { Why } from '../../explain/why';
import { formatDuration } from '../../format/format-duration';
import { formatPercent } from '../../format/format-percent';
import { formatExact } from '../../format/format-tokens';
import { STATE_WORDS, VERSION_WORDS } from '../../format/transcript-words';
import { CopyButton } from '../../ui/copy-button';
import { FiguresText } from '../../ui/figures-text';
import { compactionCost } from './boundary-cost';
import { type Archive, isArchiveEvent } from './select-event';
import { useSessionPage } from './session-page';

const SENTENCE = {
  pending: 'Reported by a hook. The context ends once the client’s own record arrives.',
  confirmed: null,
  blocked: 'A hook refused the compaction. The context continues.',
  failed: 'The client cancelled the compaction or did not start it. The context continues.',
};

interface OpenedCompactionProps {
  event: SessionEvent<'compaction'>;
  archive: Archive | null;
  /** The calls around the compaction; null: not read yet. */
  calls: EventDetails['calls'];
}

export function OpenedCompaction({ event, archive, calls }: OpenedCompactionProps) {
  const { session } = useSessionPage();
  const question = useMemo(() => ({ about: 'compaction', event }) as const, [event]);
  const { trigger, state, reason, postTokens, firstReading, ...detail } = event.detail;
  const { before, after } = compactionSizes(event.detail);
  const limit = detail.limit ?? session.limit;
  const share =
    before === null || limit === null || limit <= 0 ? '' : `, at ${formatPercent(before / limit)}`;
  const cost = compactionCost(event, calls);
  const isDone = state === 'confirmed';
  const rows: FactRows = {
    trigger: `${trigger}${share}`,
    state: !isDone && COMPACTION_STATE[state],
    reason,
    kept:
      postTokens !== undefined &&
      `${tokensWord(postTokens)} by the client’s own count, without system prompt and tools`,
    // A later import stores the transcript without an event, so the list is read from the server.
    ...(archive === null
      ? { archive: <TranscriptLinks event={event} none="no transcript was archived" /> }
      : archiveFacts(archive, session.host, event)),
  };
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-x-[32px] gap-y-[16px] xl:grid-cols-[360px_minmax(0,1fr)] min-[120rem]:grid-cols-[480px_minmax(0,1fr)]">
      {isDone ? <Cost cost={cost} /> : null}
      {before !== null && after !== null && isDone ? (
        <CompactionBar
          seed={event.id}
          before={before}
          after={after}
          limit={limit}
          afterWord={firstReading !== undefined ? 'first reading after' : 'by the client’s count'}
          freed={(text) => (
            <Why of={question} name="freed">
              {text}
            </Why>
          )}
        />
      ) : (
        <p className="text-ink2">
          {before === null
            ? 'Size before unknown.'
            : `Size before: ${tokensWord(before)}${isDone ? ', no reading since' : ''}.`}
        </p>
      )}
      <Facts rows={rows} sentence={SENTENCE[state]} />
      {isDone ? <LostByRole event={event} /> : null}
    </div>
  );
}

function Cost({ cost }: { cost: ReturnType<typeof compactionCost> }) {
  const { dropped, duration, reread, summary } = cost;
  const call = summary === 'unreported' ? null : summary;
  const cached = call && formatPercent(call.cached / Math.max(1, call.sent));
  const written = call === null || call.isFromFile ? '' : `; ${formatExact(call.written)} written`;
  const isBound = duration?.isStated === false;
  const figures: ReadonlyArray<[name: string, value: string | null, note: string]> = [
    ['dropped', dropped && formatExact(dropped.tokens), ` tokens, ${formatPercent(dropped?.share ?? 0)}`],
    [
      isBound ? 'duration, at most' : 'duration',
      duration && formatDuration(duration.ms),
      isBound ? ' since the last turn' : '',
    ],
    ['summary call', call && formatExact(call.sent), ` tokens read, ${cached} from the cache${written}`],
    ['re-sent by the next turn', reread === null ? null : formatExact(reread), ' tokens, uncached'],
  ];
  return (
    <dl className="flex flex-wrap gap-x-[36px] gap-y-[8px] xl:col-span-full">
      {figures.map(([name, value, note]) => (
        <div key={name}>
          <dt className="text-small text-ink2">{name}</dt>
          <dd className="text-title">
            {value === null ? (
              <span className="text-ink2">
                {name === 'summary call' && summary === 'unreported' ? 'not reported' : 'unknown'}
              </span>
            ) : (
              <>
                <span className="num">{value}</span>
                <span className="text-small text-ink2">
                  <FiguresText text={note} />
                </span>
              </>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Facts by name; false, null and undefined have no row. */
export type FactRows = Readonly<Record<string, React.ReactNode>>;

export function Facts({ rows, sentence = null }: { rows: FactRows; sentence?: string | null }) {
  return (
    <div>
      <dl className="grid grid-cols-[88px_1fr] content-start gap-y-[3px]">
        {Object.entries(rows).map(([name, value]) =>
          value === false || value === null || value === undefined ? null : (
            <div key={name} className="contents">
              <dt className="text-ink2">{name}</dt>
              <dd className="min-w-0 [overflow-wrap:anywhere]">
                {typeof value === 'string' ? <FiguresText text={value} /> : value}
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

export function archiveFacts({ state, detail }: Archive, host: string | null, event: SessionEvent): FactRows {
  const { path, reason } = detail;
  const isWhole = state === 'stored' || state === 'healed';
  return {
    archive: state === 'healed' ? 'restored' : state,
    transcript: <TranscriptLinks event={event} none="not on this server" />,
    details: !isWhole && (reason ?? 'not reported'),
    file: path !== undefined && (
      <span className="flex flex-wrap items-center gap-x-[10px] gap-y-[2px]">
        <span className="link min-w-0 decoration-dotted" title={path}>
          {path.split(/[\\/]/).at(-1) || path}
        </span>
        {host === null ? null : <span className="text-ink2">on {host}</span>}
        <CopyButton text={path} what="the path of the archive" />
      </span>
    ),
    size: isWhole && archiveSize(detail),
  };
}

function useTranscripts(event: SessionEvent) {
  const sessionId = useSessionPage().session.id;
  // The event's detail changes when a copy is stored.
  return useQuery({
    ...sessionTranscriptsQuery(sessionId, JSON.stringify(event.detail)),
    placeholderData: keepPreviousData,
  });
}

/** The stored copy made last, which has the most content. */
const wholeOf = (found: readonly TranscriptRow[]) => found.findLast(({ state }) => state === 'stored');

function LostByRole({ event }: { event: SessionEvent<'compaction'> }) {
  const { data: listed } = useTranscripts(event);
  const found = matchTranscripts(listed ?? [], event);
  const whole = wholeOf(found);
  const lost = useQuery({
    ...lostQuery(whole?.id ?? '', Date.parse(event.at)),
    enabled: whole !== undefined,
  }).data?.lost;
  if (lost?.gone.messages === 0 || (whole === undefined && found.length > 0)) return null;
  return (
    <section aria-label="Lost, by role" className="max-w-[400px] xl:col-start-2 xl:row-span-2 xl:row-start-2">
      {lost ? <LostKinds gone={lost.gone} /> : null}
      {listed !== undefined && whole === undefined ? (
        <>
          <h3 className="text-small font-normal text-ink2">Lost, by role</h3>
          <p className="pt-[3px] text-ink2">
            Unknown without a transcript.{' '}
            <Link href="/connect" prefetch={false} className="link">
              Connect the client
            </Link>{' '}
            to archive the next one.
          </p>
        </>
      ) : null}
    </section>
  );
}

function TranscriptLinks({ event, none }: { event: SessionEvent; none: string }) {
  const sessionId = useSessionPage().session.id;
  const query = useTranscripts(event);
  if (query.data === undefined && query.error === null) return <span className="text-ink2">Loading</span>;
  if (query.data === undefined) {
    return (
      <Link href={`/transcripts?session=${sessionId}`} prefetch={false} className="link">
        transcripts of this session
      </Link>
    );
  }
  const found = matchTranscripts(query.data, event);
  if (found.length === 0) return <span className="text-ink2">{none}</span>;
  const whole = wholeOf(found);
  const at = Date.parse(event.at);
  return (
    <span className="flex flex-wrap items-center gap-x-[12px] gap-y-[6px]">
      {whole === undefined || event.kind !== 'compaction' ? null : (
        <Link href={`/transcripts/${whole.id}?at=${at}#what-was-lost`} prefetch={false} className="button">
          What was lost
        </Link>
      )}
      {found.map(({ id, state, version }) => (
        <Link key={id} href={`/transcripts/${id}`} prefetch={false} className="link">
          {state === 'stored' ? 'the transcript, ' : ''}
          {VERSION_WORDS[version].short}
          {state === 'stored' ? '' : `, ${STATE_WORDS[state]}`}
        </Link>
      ))}
    </span>
  );
}

/** The transcripts of an event, found by event id, archive id or hash; the copy made at the hook is first. */
function matchTranscripts(transcripts: readonly TranscriptRow[], event: SessionEvent): TranscriptRow[] {
  const named =
    event.kind === 'compaction' ? event.detail.archive : isArchiveEvent(event) ? event.detail : undefined;
  const archives = [named?.archive, ...((event.kind === 'compaction' && event.detail.archives) || [])];
  return transcripts
    .filter(
      ({ eventId, archive, sha256 }) =>
        eventId === event.id ||
        (archive !== null && archives.includes(archive)) ||
        (sha256 !== null && sha256 === named?.sha256),
    )
    .sort((a, b) => Number(a.version !== 'hook') - Number(b.version !== 'hook') || a.at.localeCompare(b.at));
}
