import type { Session } from '@/core/api/session';
import { useSessionPage } from './session-page';

const SOURCE_WORDS: Record<Session['sources'][number], string> = {
  transcript: 'the client’s transcript',
  sdk: 'a runner',
  hook: 'the client’s hooks',
  otlp: 'the client’s telemetry',
};

/** Topics that this session's sources report, and topics that no source reports. For the latter, 0 means unknown. */
export function CoveragePanel() {
  const { coverage, sources } = useSessionPage().session;
  if (coverage.length === 0) return null;
  const from = sources.map((source) => SOURCE_WORDS[source]).join(', ');
  return (
    <section aria-labelledby="coverage-title" className="mt-[18px] border-t border-ink">
      <div className="flex flex-wrap items-baseline gap-x-[12px] pt-[8px] pb-[6px]">
        <h2 id="coverage-title" className="text-title">
          Coverage
        </h2>
        <p className="text-ink2">{from === '' ? 'No source has reported yet.' : `Based on ${from}.`}</p>
      </div>
      <div className="grid gap-x-[32px] lg:grid-cols-2">
        <Topics title="Seen" topics={coverage.filter(({ seen }) => seen)} />
        <Topics title="Not seen" topics={coverage.filter(({ seen }) => !seen)} />
      </div>
    </section>
  );
}

function Topics({ title, topics }: { title: string; topics: Session['coverage'] }) {
  if (topics.length === 0) return null;
  return (
    <div>
      <h3 className="border-b border-hair2 pb-[3px] text-small font-normal text-ink2">{title}</h3>
      <dl>
        {topics.map(({ topic, seen, note }) => (
          <div
            key={topic}
            className="grid gap-x-[8px] border-b border-hair py-[7px] sm:grid-cols-[190px_minmax(0,1fr)]"
          >
            <dt className={seen ? 'font-medium' : 'text-ink2'}>{topic}</dt>
            <dd className="text-ink2">{note}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
