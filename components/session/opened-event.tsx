'use client';
import type { Session, SessionEvent } from '@/core/api/session';
import { formatDuration } from '../format/format-duration';
import { formatPercent } from '../format/format-percent';
import { formatInstant } from '../format/format-time';
import { formatCount, formatExact } from '../format/format-tokens';
import { useTimeZone } from '../live/use-time-zone';
import { STATE_WORD } from '../ui/state-label';
import { CompactionBar } from './compaction-bar';
import { archiveSize, count, describeEvent, freedTokens, word } from './describe-event';
import { FiguresText } from './figures-text';

interface OpenedEventProps {
  event: SessionEvent;
  session: Session;
  /** The archive of an opened compaction: its own event; null: none was reported. */
  archive: SessionEvent | null;
  /** Which compaction or restart this is, counted from 1; null for other events. */
  ordinal: number | null;
}

/** The opened event: what it did, in figures and in words. Everything from a runner is plain text. */
export function OpenedEvent({ event, session, archive, ordinal }: OpenedEventProps) {
  const zone = useTimeZone();
  const contexts = contextWords(event);
  return (
    <section aria-label="Opened event" className="min-w-0 pt-[10px] lg:pl-[24px]">
      <div className="flex flex-wrap items-baseline gap-x-[14px] pb-[14px]">
        <h2 className="text-title">{title(event, ordinal)}</h2>
        <span className="text-ink2">{contexts}</span>
        <time dateTime={event.at} className="num ml-auto text-small text-ink2">
          {formatInstant(event.at, zone)}
        </time>
      </div>
      <Body event={event} session={session} archive={archive} />
    </section>
  );
}

function Body({ event, session, archive }: Omit<OpenedEventProps, 'ordinal'>) {
  const { detail } = event;
  switch (event.kind) {
    case 'compaction':
      return <Compaction event={event} session={session} archive={archive} />;
    case 'restart':
      return (
        <div className="grid gap-x-[32px] gap-y-[16px] xl:grid-cols-[360px_1fr]">
          <Facts
            rows={[
              ['continuation', numberWord(detail.continuation)],
              ['reason', word(detail.reason) || 'not stated'],
              ['pressure', shareWord(detail.pressure)],
              ['given up', tokensWord(detail.usedBefore)],
            ]}
          />
          <Checkpoint text={word(detail.checkpoint)} />
        </div>
      );
    case 'state_changed':
      return (
        <Facts
          rows={[
            ['from', stateWord(detail.from)],
            ['to', stateWord(detail.to)],
            ['pressure', shareWord(detail.pressure)],
            ['turn', formatExact(event.turn)],
          ]}
        />
      );
    case 'approaching_redline':
      return (
        <Facts
          rows={[
            ['pressure', shareWord(detail.pressure)],
            ['restart line', session.restartLine === null ? 'never' : formatPercent(session.restartLine)],
            ['turn', formatExact(event.turn)],
          ]}
        />
      );
    case 'redlined':
      return (
        <Facts
          rows={[
            ['used', tokensWord(detail.used)],
            ['limit', tokensWord(detail.limit)],
            ['turn', formatExact(event.turn)],
          ]}
        />
      );
    case 'context_cleared':
      return (
        <Facts
          rows={[
            ['cleared', tokensWord(detail.tokensCleared)],
            ['after turn', formatExact(event.turn)],
          ]}
        />
      );
    case 'context_compressed':
      return (
        <Facts
          rows={[
            ['before', tokensWord(detail.before)],
            ['after', tokensWord(detail.after)],
            [
              'removed',
              count(detail.removed) === null
                ? 'not stated'
                : formatCount(count(detail.removed) ?? 0, 'message'),
            ],
          ]}
        />
      );
    case 'tracking_disabled':
      return (
        <p className="max-w-[64ch]">
          A turn of the main chain came without usage, so the sums of this context would be wrong from here
          on. The session is shown as not tracked, and tracking returns with the first turn that has usage
          after the next boundary.
        </p>
      );
    case 'tracking_enabled':
      return <p>Usage is reported again; the sums start with this context.</p>;
    case 'turns_dropped':
      return (
        <>
          <Facts
            rows={[
              [
                'lost',
                count(detail.count) === null ? 'not stated' : formatCount(count(detail.count) ?? 0, 'turn'),
              ],
              [
                'sequence',
                count(detail.from) === null ? 'not stated' : `${detail.from}–${count(detail.to) ?? '?'}`,
              ],
              ['reason', word(detail.reason) || 'not stated'],
            ]}
          />
          <p className="mt-[10px] text-small text-ink2">
            Sums are a lower bound, shown with ≥, until the next boundary.
          </p>
        </>
      );
    case 'archive_stored':
    case 'archive_skipped':
    case 'archive_failed':
      return <Facts rows={archiveRows(event)} />;
    default:
      return (
        <Facts
          rows={[
            ['reason', word(detail.reason) || 'not stated'],
            ['after turn', formatExact(event.turn)],
          ]}
        />
      );
  }
}

function Compaction({ event, session, archive }: Omit<OpenedEventProps, 'ordinal'>) {
  const { detail } = event;
  const figures = freedTokens(detail);
  const limit = count(detail.limit) ?? session.limit;
  const state = word(detail.state) || 'confirmed';
  const before = figures?.before ?? count(detail.preTokens) ?? count(detail.lastReading);
  const share =
    before === null || limit === null || limit <= 0 ? '' : `, at ${formatPercent(before / limit)}`;
  return (
    <div className="grid gap-x-[32px] gap-y-[16px] xl:grid-cols-[360px_1fr]">
      {figures ? (
        <CompactionBar seed={event.id} before={figures.before} after={figures.after} limit={limit} />
      ) : (
        <p className="text-ink2">
          {before === null
            ? 'The size before it is not known.'
            : `${formatExact(before)} tokens before it; the first reading after it has not come yet.`}
        </p>
      )}
      <Facts
        rows={[
          ['trigger', `${word(detail.trigger) || 'not stated'}${share}`],
          [
            'duration',
            count(detail.durationMs) === null ? 'not stated' : formatDuration(count(detail.durationMs) ?? 0),
          ],
          ...(state === 'confirmed' ? [] : ([['state', state]] as Row[])),
          ...(count(detail.postTokens) === null
            ? []
            : ([['kept', `${tokensWord(detail.postTokens)} by the client’s own count`]] as Row[])),
          ...(archive === null
            ? ([['archive', 'no transcript was archived']] as Row[])
            : archiveRows(archive)),
        ]}
      />
    </div>
  );
}

function Checkpoint({ text }: { text: string }) {
  if (text === '') return <p className="text-ink2">No checkpoint text was sent.</p>;
  return (
    <div className="min-w-0">
      <h3 className="pb-[4px] text-small font-normal text-ink2">checkpoint</h3>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
        tabIndex={0}
        className="max-h-[320px] overflow-auto bg-sunken p-[12px] font-mono text-small whitespace-pre-wrap [overflow-wrap:anywhere]"
      >
        {text}
      </pre>
    </div>
  );
}

/** `hint`: the whole of a value that is cut short. */
type Row = [name: string, value: string, hint?: string];

function Facts({ rows }: { rows: Row[] }) {
  return (
    <dl className="grid grid-cols-[88px_1fr] content-start gap-y-[3px]">
      {rows.map(([name, value, hint]) => (
        <div key={name} className="contents">
          <dt className="text-ink2">{name}</dt>
          <dd className="min-w-0 [overflow-wrap:anywhere]">
            {hint === undefined ? (
              <FiguresText text={value} />
            ) : (
              <span className="link decoration-dotted" title={hint}>
                {value}
              </span>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function archiveRows({ kind, detail }: SessionEvent): Row[] {
  if (kind !== 'archive_stored') {
    return [
      [
        'archive',
        `${kind === 'archive_failed' ? 'failed' : 'skipped'}: ${word(detail.reason) || 'no reason stated'}`,
      ],
    ];
  }
  return [archivePlace(word(detail.path)), ['size', archiveSize(detail)]];
}

/** The file's name; its folder on hover. */
function archivePlace(path: string): Row {
  const file = path.split(/[\\/]/).at(-1) ?? '';
  return file === '' || file === path ? ['archive', path || 'stored'] : ['archive', file, path];
}

function title(event: SessionEvent, ordinal: number | null): string {
  const { name, text } = describeEvent(event);
  if (event.kind === 'compaction' || event.kind === 'restart') {
    const word = event.kind === 'compaction' ? 'Compaction' : 'Restart';
    return ordinal === null ? word : `${word} ${ordinal}`;
  }
  if (event.kind === 'state_changed') return text.charAt(0).toUpperCase() + text.slice(1);
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function contextWords({ chain, context, detail }: SessionEvent): string {
  const before = count(detail.contextBefore);
  const after = count(detail.contextAfter);
  const where = before !== null && after !== null ? `context ${before} → ${after}` : `context ${context}`;
  return chain === 'main' ? where : `${where}, sub-agent ${chain}`;
}

function numberWord(value: unknown): string {
  const known = count(value);
  return known === null ? 'not stated' : formatExact(known);
}

function tokensWord(value: unknown): string {
  const known = count(value);
  return known === null ? 'not known' : `${formatExact(known)} tokens`;
}

function shareWord(value: unknown): string {
  const known = count(value);
  return known === null ? 'not known' : formatPercent(known);
}

function stateWord(value: unknown): string {
  const text = word(value);
  return Object.hasOwn(STATE_WORD, text) ? STATE_WORD[text as keyof typeof STATE_WORD] : text || 'not stated';
}
