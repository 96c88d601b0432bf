'use client';
import type { Session } from '@/core/api/session';
import type { SessionEvent } from '@/core/events/event';
import { troubleSentence } from '@/core/events/trouble-sentence';
import { CompactionBar } from '../../charts/compaction-bar';
import { describeEvent } from '../../events/describe-event';
import { formatPercent } from '../../format/format-percent';
import { formatInstant } from '../../format/format-time';
import { formatCount, formatExact } from '../../format/format-tokens';
import { boundWord } from '../../format/session-words';
import { CopyButton } from '../../ui/copy-button';
import { FiguresText } from '../../ui/figures-text';
import { archiveFacts, type FactRows, Facts, OpenedCompaction, tokensWord } from './opened-compaction';
import {
  type ArchiveEvent,
  archiveIn,
  archiveOf,
  compactionOf,
  isArchiveEvent,
  ordinalOf,
} from './select-event';
import { useSessionPage } from './session-page';
import type { HeldDetails } from './session-reads';

type OpenedEventProps = { event: SessionEvent; more: HeldDetails };

export default function OpenedEvent(props: OpenedEventProps) {
  const { event } = props;
  const { chain, context, detail } = event;
  const { data, zone } = useSessionPage();
  const where =
    'contextBefore' in detail && detail.contextAfter !== undefined
      ? `context ${detail.contextBefore} → ${detail.contextAfter}`
      : `context ${context}`;
  return (
    <section aria-label="Opened event" className="min-w-0">
      <div className="flex flex-wrap items-baseline gap-x-[14px] pb-[14px]">
        <h2 className="text-title">{eventTitle(event, ordinalOf(data.boundaries, event))}</h2>
        <span className="text-ink2">{chain === 'main' ? where : `${where}, sub-agent ${chain}`}</span>
        <time dateTime={event.at} className="num ml-auto text-small text-ink2">
          {formatInstant(event.at, zone)}
        </time>
      </div>
      <Body key={event.id} {...props} />
    </section>
  );
}

/** `Compaction 3`, `Restart 1`, `Elevated → warning`. */
function eventTitle(event: SessionEvent, ordinal: number | null): string {
  const { name, text } = describeEvent(event);
  const title = event.kind === 'state_changed' ? text : name;
  return `${title.charAt(0).toUpperCase()}${title.slice(1)}${ordinal === null ? '' : ` ${ordinal}`}`;
}

function Body(props: OpenedEventProps) {
  const { session } = useSessionPage();
  const { event, more } = props;
  if (event.kind === 'compaction') {
    const calls = more.data?.calls ?? null;
    return <OpenedCompaction event={event} archive={archiveOf(event)} calls={calls} />;
  }
  if (event.kind === 'restart') return <OpenedRestart event={event} more={more} />;
  if (event.kind !== 'context_compressed') {
    const isTrouble = event.kind === 'thrash' || event.kind === 'cache_storm';
    const sentence = isTrouble ? troubleSentence(event) : SENTENCES[event.kind];
    return <Facts rows={factsOf(event, session)} sentence={sentence ?? null} />;
  }
  const { before, after, removed } = event.detail;
  return (
    <div className="grid gap-x-[32px] gap-y-[16px] xl:grid-cols-[360px_minmax(0,1fr)]">
      <CompactionBar
        seed={event.id}
        before={before}
        after={after}
        limit={event.chain === 'main' ? session.limit : null}
        afterWord="kept"
      />
      <Facts
        rows={{
          removed: removed === undefined ? 'not reported' : formatCount(removed, 'message'),
          freed: tokensWord(before - after),
          'after turn': formatExact(event.turn),
        }}
        sentence="The context continues. The next reading shows what was removed."
      />
    </div>
  );
}

const SENTENCES: Partial<Record<SessionEvent['kind'], string>> = {
  context_cleared: 'The client emptied the context. The next turn starts a fresh one.',
  tracking_disabled:
    'The sums of this context would be wrong from here on, so the session is shown as not tracked. Tracking resumes with the first turn that has usage after the next boundary.',
  tracking_enabled: 'This context started after a boundary, so its sums are complete.',
  turns_dropped: 'Sums are a lower bound, shown with ≥, until the next boundary.',
  archive_failed:
    'The transcript could not be copied. Text that later compactions drop may remain only in the client’s files. A failed archive never delays a compaction.',
  archive_skipped: 'Nothing was copied. A skipped archive never delays a compaction.',
  archive_damaged:
    'Some stored bytes of the archive have changed. The transcript stays incomplete until a matching archive is uploaded.',
  archive_healed: 'The missing bytes were restored, and the whole file verified.',
};

function factsOf(event: SessionEvent, session: Session): FactRows {
  if (isArchiveEvent(event)) {
    return {
      trigger: event.detail.trigger ?? 'not reported',
      compaction: <CompactionLink archive={event} />,
      ...archiveFacts(archiveIn(event), session.host, event),
    };
  }
  const turn = formatExact(event.turn);
  switch (event.kind) {
    case 'state_changed':
      return { pressure: formatPercent(event.detail.pressure), turn };
    case 'approaching_redline': {
      const line = session.restartLine === null ? 'never' : formatPercent(session.restartLine);
      return { pressure: formatPercent(event.detail.pressure), 'restart line': line, turn };
    }
    case 'redlined':
      return { used: tokensWord(event.detail.used), limit: tokensWord(event.detail.limit), turn };
    case 'window_changed': {
      const { text, note } = describeEvent(event);
      return { window: text, source: note, model: event.detail.model ?? 'not reported', turn };
    }
    case 'context_cleared':
      return { cleared: tokensWord(event.detail.tokensCleared), 'after turn': turn };
    case 'tracking_disabled':
      return { cause: `turn ${turn} has no usage` };
    case 'tracking_enabled':
      return { cause: `turn ${turn} has usage again` };
    case 'turns_dropped': {
      const { count, bound, from, to, reason } = event.detail;
      const end = to === null ? '?' : formatExact(to);
      const sequence = from === null ? 'not reported' : `${formatExact(from)}–${end}`;
      return {
        lost: `${boundWord(bound)}${formatCount(count, 'turn')}`,
        sequence,
        reason: reason ?? 'not reported',
      };
    }
    case 'thrash':
    case 'cache_storm':
      return { 'after turn': turn };
    default:
      return { ...detailFacts(event.detail), 'after turn': turn };
  }
}

/** The fields of a detail under their own names: `tokensCleared` becomes `tokens cleared`. */
function detailFacts(detail: object): FactRows {
  const facts = Object.entries(detail).map(([name, value]) => [
    name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
    typeof value === 'number' ? formatExact(value) : String(value ?? 'not reported'),
  ]);
  return Object.fromEntries(facts);
}

function CompactionLink({ archive }: { archive: ArchiveEvent }) {
  const { data, change } = useSessionPage();
  const compaction = compactionOf(data.events, archive);
  if (compaction === null) return 'none reported';
  return (
    <button type="button" className="link" onClick={() => change({ event: compaction.id })}>
      {eventTitle(compaction, ordinalOf(data.boundaries, compaction))}
    </button>
  );
}

/** The checkpoint of the old context and the prompt of the new one. */
function OpenedRestart({ event, more }: { event: SessionEvent<'restart'>; more: HeldDetails }) {
  const { detail } = event;
  const whole = more.data?.event.kind === 'restart' ? more.data.event.detail : null;
  const text = (name: 'checkpoint' | 'prompt', title: string) => {
    const listed = detail[name];
    if (listed === undefined) return null;
    const length = event.cut?.[name];
    const full = whole?.[name];
    const cut = length === undefined || full !== undefined ? null : { length, failed: more.part.failed };
    return <TextBlock title={title} text={full ?? listed} cut={cut} />;
  };
  return (
    <div className="grid gap-x-[32px] gap-y-[16px] xl:grid-cols-[232px_minmax(0,1fr)]">
      <Facts
        rows={{
          continuation: formatExact(detail.continuation),
          reason: detail.reason ?? 'not reported',
          pressure: detail.pressure === null ? 'unknown' : formatPercent(detail.pressure),
          dropped: tokensWord(detail.usedBefore),
        }}
      />
      <div className="grid min-w-0 gap-y-[16px]">
        {text('checkpoint', 'checkpoint') ?? (
          <p className="max-w-[64ch] text-ink2">
            No checkpoint text was sent. A runner with content switched off sends figures only.
          </p>
        )}
        {text('prompt', 'continuation prompt')}
      </div>
    </div>
  );
}

interface TextBlockProps {
  title: string;
  text: string;
  /** Length of the full text in characters, if `text` is only the start; null: `text` is complete. */
  cut: { length: number; failed: boolean } | null;
}

/** A text from a runner, shown as plain text and never interpreted. */
function TextBlock({ title, text, cut }: TextBlockProps) {
  const size =
    cut === null
      ? `${formatCount(text.split('\n').length, 'line')}, ${formatCount(text.length, 'character')}`
      : `start of ${formatCount(cut.length, 'character')}`;
  return (
    <div className="min-w-0">
      <div className="flex flex-wrap items-center gap-x-[12px] gap-y-[2px] pb-[6px]">
        <h3 className="font-normal">{title}</h3>
        <span className="text-small text-ink2">
          <FiguresText text={size} />
        </span>
        <span className="ml-auto">
          {cut === null ? <CopyButton text={text} what={`the ${title}`} /> : null}
        </span>
      </div>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
        tabIndex={0}
        className="max-h-[360px] overflow-auto bg-sunken p-[12px] font-mono text-small whitespace-pre-wrap [overflow-wrap:anywhere]"
      >
        {cut === null ? text : `${text}…`}
      </pre>
      {cut === null ? null : (
        <p role="status" className="pt-[4px] text-small text-ink2">
          {cut.failed ? 'The rest could not be read. Retrying automatically.' : 'Loading the rest…'}
        </p>
      )}
    </div>
  );
}
