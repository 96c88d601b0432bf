'use client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { EventList } from '@/core/api/responses';
import type { Series } from '@/core/api/series';
import type { Session } from '@/core/api/session';
import { CompactionBar } from '../../../charts/compaction-bar';
import { LostKinds } from '../../../charts/lost-kinds';
import { stepPath } from '../../../charts/trace-path';
import { fetchJson } from '../../../data/fetch-json';
import { retryInterval } from '../../../data/query-provider';
import { lostQuery, sessionTranscriptsQuery } from '../../../data/session-transcripts';
import { useTimeZone } from '../../../data/use-time-zone';
import { formatInstant } from '../../../format/format-time';
import { formatCount, formatTokens } from '../../../format/format-tokens';
import { sessionMeta, sessionTitle } from '../../../sessions/session-names';
import { IntentLink } from '../../../ui/intent-link';
import { type LargestLoss, largestLoss, type Story, storyTrace } from './prepare-story';

/** Compactions that are compared for the largest loss, the newest first. */
const MOST_COMPACTIONS = 500;
/** Pause between two looks at an archive that the server still reads. */
const READING_MS = 2_000;
/** Points of a small trace. */
const POINTS = 120;

interface ImportStoryProps {
  story: Story;
  byId: ReadonlyMap<string, Session>;
  className: string;
}

/** The first view after an import: what arrived, which sessions compacted most, and what was lost most. */
export default function ImportStory({ story, byId, className }: ImportStoryProps) {
  const zone = useTimeZone();
  const { sessions, turns, compactions, projects, clients, from, to, most } = story;
  const [first, last] = [from, to].map((at) => formatInstant(at, zone).split(',')[0]);
  return (
    <div className={`pt-[10px] pb-[24px] ${className}`}>
      <p className="display max-md:text-[36px] max-md:leading-[40px]">
        {formatCount(sessions, 'imported session')}
      </p>
      <p className="max-w-[92ch] pt-[8px] pb-[22px] text-ink2">
        {formatCount(turns, 'turn')} and {formatCount(compactions, 'compaction')} in{' '}
        {formatCount(projects, 'project')}
        {clients.length === 0 ? '' : `, from ${new Intl.ListFormat('en-GB').format(clients)}`}, {first}
        {first === last ? '' : ` to ${last}`}. No session is active now.
      </p>
      {most.length === 0 ? null : (
        <div className="grid grid-cols-1 gap-x-[44px] gap-y-[24px] min-[1100px]:grid-cols-[minmax(0,1fr)_minmax(0,400px)]">
          <section aria-labelledby="most-compactions" className="min-w-0 border-t border-ink">
            <h3 id="most-compactions" className="pt-[8px] pb-[4px] text-small text-ink2">
              Most compactions
            </h3>
            <ol>
              {most.map((session) => (
                <CompactedSession key={session.id} session={session} />
              ))}
            </ol>
          </section>
          <LostMost compactions={compactions} byId={byId} />
        </div>
      )}
    </div>
  );
}

function CompactedSession({ session }: { session: Session }) {
  const { id, version, compactions } = session;
  const { data } = useQuery({
    queryKey: ['sessions', id, 'story', version],
    queryFn: ({ signal }) => fetchJson<Series>(`/api/v1/sessions/${id}/series?points=${POINTS}`, { signal }),
  });
  return (
    <li className="grid grid-cols-1 items-center gap-x-[24px] gap-y-[6px] border-b border-hair py-[10px] sm:grid-cols-[minmax(0,1fr)_minmax(0,1.4fr)]">
      <div className="min-w-0">
        <IntentLink href={`/sessions/${id}`} className="block truncate text-title hover:underline">
          {sessionTitle(session)}
        </IntentLink>
        <p className="truncate text-small text-ink2">{sessionMeta(session)}</p>
        <p className="pt-[4px]">
          <span className="num strong">{compactions}</span> {compactions === 1 ? 'compaction' : 'compactions'}{' '}
          <span className="text-ink2">in {formatCount(session.totals.main.calls, 'turn')}</span>
        </p>
      </div>
      <div className="h-[84px] xl:h-[112px]">
        {data === undefined ? null : <SmallTrace points={data.points} />}
      </div>
    </li>
  );
}

function SmallTrace({ points }: Pick<Series, 'points'>) {
  const { steps, tears, limit } = storyTrace(points);
  return (
    <svg
      viewBox="0 0 100 100"
      preserveAspectRatio="none"
      fill="none"
      className="block h-full w-full overflow-visible *:[vector-effect:non-scaling-stroke]"
      aria-hidden="true"
    >
      <path d="M0 100H100" stroke="var(--ink)" />
      {limit === null ? null : <path d={`M0 ${limit}H100`} stroke="var(--hair2)" />}
      {tears.map(({ x, from, to }) => (
        <path key={x} d={`M${x} ${from}V${to}`} stroke="var(--ink)" strokeWidth="7" strokeDasharray="1 2" />
      ))}
      <path d={stepPath(steps, 100)} stroke="var(--ink)" strokeWidth="1.75" />
    </svg>
  );
}

type LostMostProps = Pick<ImportStoryProps, 'byId'> & Pick<Story, 'compactions'>;

function LostMost({ compactions, byId }: LostMostProps) {
  const zone = useTimeZone();
  const { data: loss = null } = useQuery({
    queryKey: ['events', 'largest-loss', compactions],
    queryFn: async ({ signal }) => {
      const path = `/api/v1/events?kind=compaction&scope=main&limit=${MOST_COMPACTIONS}`;
      return largestLoss((await fetchJson<EventList>(path, { signal })).events);
    },
  });
  if (loss === null) return null;
  const { event, before, after } = loss;
  return (
    <section aria-labelledby="largest-loss" className="min-w-0 border-t border-ink">
      <h3 id="largest-loss" className="pt-[8px] pb-[4px] text-small text-ink2">
        Largest loss
      </h3>
      <p className="text-title">
        <span className="num">{formatTokens(before - after)}</span> tokens lost in one compaction
      </p>
      <p className="flex gap-x-[8px] pb-[12px] text-small text-ink2">
        <IntentLink
          href={`/sessions/${event.sessionId}?event=${encodeURIComponent(event.id)}`}
          className="link truncate text-ink"
        >
          {event.sessionTitle ?? event.sessionKey}
        </IntentLink>
        <span className="shrink-0">{formatInstant(Date.parse(event.at), zone)}</span>
      </p>
      <CompactionBar seed={event.id} before={before} after={after} limit={null} afterWord="left" />
      <LostContent loss={loss} version={byId.get(event.sessionId)?.version ?? 0} />
    </section>
  );
}

/** The lost tokens by role, if an archive of that compaction is stored. */
function LostContent({ loss, version }: { loss: LargestLoss; version: number }) {
  const { id, sessionId } = loss.event;
  const at = Date.parse(loss.event.at);
  const { data: archives } = useQuery({
    ...sessionTranscriptsQuery(sessionId, String(version)),
    placeholderData: keepPreviousData,
  });
  const archive = archives?.find(({ eventId, state }) => eventId === id && state === 'stored');
  const { data } = useQuery({
    ...lostQuery(archive?.id ?? '', at),
    enabled: archive !== undefined,
    refetchInterval: (query) =>
      retryInterval(query) ||
      (/^(waiting|reading)$/.test(query.state.data?.state ?? '') ? READING_MS : false),
  });
  if (archive === undefined) return null;
  return (
    <>
      <div className="pt-[14px]">{data?.lost ? <LostKinds gone={data.lost.gone} /> : null}</div>
      <p className="pt-[10px]">
        <IntentLink href={`/transcripts/${archive.id}?at=${at}#what-was-lost`} className="link">
          What was lost
        </IntentLink>
      </p>
    </>
  );
}
