'use client';
import { useMemo } from 'react';
import { listBoundaries } from '../../charts/list-marks';
import { hatchPath } from '../../charts/torn-edge';
import { useTimeZone } from '../../data/use-time-zone';
import { formatDuration } from '../../format/format-duration';
import { formatPercent } from '../../format/format-percent';
import { formatClockSeconds, formatDay, formatInstant } from '../../format/format-time';
import { formatExact } from '../../format/format-tokens';
import { PartNotice } from '../../ui/part-notice';
import { prepareStrip, type StripContext } from './prepare-strip';
import type { SessionUrl } from './session-url';
import { useGrowingRows } from './use-growing-rows';
import type { SessionData } from './use-session-data';

interface ContextsSectionProps {
  data: Pick<SessionData, 'view' | 'contexts' | 'events' | 'parts'>;
  url: SessionUrl;
  change: (change: Partial<SessionUrl>) => void;
}

/** Rows at first, the newest, more than are seen; and how many are added each time. */
const ROWS = 24;
const MORE_ROWS = 100;
const BAR = { width: 120, height: 8 };

/** Each context as a row: start, end, turns, peak, and why it ended. A press zooms the sheet to it. */
export function ContextsSection({ data, url, change }: ContextsSectionProps) {
  const zone = useTimeZone();
  const { contexts, events } = data;
  const { session, points } = data.view;
  const { lens, limit } = session;
  const boundaries = useMemo(() => listBoundaries(contexts, events, lens), [contexts, events, lens]);
  const firstAt = points[0]?.t ?? Date.parse(session.startedAt);
  const endAt = Math.max(firstAt, points.at(-1)?.t ?? 0, boundaries.at(-1)?.at ?? 0);
  const strip = useMemo(
    () => prepareStrip({ lens, contexts, boundaries, points, axis: 'time', firstAt, endAt }),
    [lens, contexts, boundaries, points, firstAt, endAt],
  );
  const { most: rows, grow, onScroll } = useGrowingRows(ROWS, MORE_ROWS);
  const shown = strip.slice(-rows).toReversed();
  const isCut = shown.length < strip.length;
  const most = Math.max(limit ?? 0, ...strip.map(({ peak }) => peak ?? 0), 1);
  return (
    <section aria-labelledby="contexts-title" className="mt-[22px] border-t border-ink pt-[8px]">
      <h2 id="contexts-title" className="pb-[4px] text-title">
        Contexts{' '}
        <span className="text-small text-ink2">
          <span className="num">{formatExact(strip.length)}</span>, numbered from{' '}
          <span className="num">0</span>
        </span>
      </h2>
      <PartNotice what="The contexts" parts={data.parts.contexts} />
      <div className="max-h-[316px] overflow-auto" {...(isCut && { onScroll })}>
        <table className="w-full max-w-[1400px] border-collapse md:min-w-[620px]">
          <caption className="sr-only">Contexts of this session</caption>
          <thead>
            <tr className="border-b border-hair2 text-small text-ink2">
              <Head>context</Head>
              <Head>from</Head>
              <Head className="max-md:hidden">to</Head>
              <Head right className="max-md:hidden">
                lasted
              </Head>
              <Head right>turns</Head>
              <Head right className="whitespace-nowrap">
                peak tokens
              </Head>
              <td className="w-[152px] max-md:hidden" />
              <Head className="whitespace-nowrap max-md:pl-[16px]">ended by</Head>
              <Head right className="max-md:hidden">
                left to the next
              </Head>
            </tr>
          </thead>
          <tbody>
            {shown.map((context) => {
              const boundary =
                boundaries.find(({ contextAfter }) => contextAfter === context.index + 1) ?? null;
              const isShown = url.from === context.fromAt && (url.to ?? endAt) >= context.toAt;
              return (
                <tr key={context.index} className={`border-b border-hair ${isShown ? 'bg-sunken' : ''}`}>
                  <th scope="row" className="py-[4px] text-left font-normal">
                    <button
                      type="button"
                      className="num link px-[2px]"
                      aria-pressed={isShown}
                      aria-label={`Show context ${context.index} on the sheet`}
                      onClick={() =>
                        isShown
                          ? change({ from: null, to: null, at: null })
                          : change({
                              from: context.fromAt,
                              to: context.endedBy === null ? null : context.toAt,
                              at: null,
                            })
                      }
                    >
                      {formatExact(context.index)}
                    </button>
                  </th>
                  <td className="pr-[16px]">
                    <Moment at={context.fromAt} zone={zone} />
                  </td>
                  <td className="pr-[16px] max-md:hidden">
                    {context.endedBy === null ? null : <Moment at={context.toAt} zone={zone} />}
                  </td>
                  <td className="num text-right max-md:hidden">
                    {formatDuration(context.toAt - context.fromAt)}
                  </td>
                  <td className="num pl-[16px] text-right">
                    {context.complete ? '' : '≥'}
                    {formatExact(context.turns)}
                  </td>
                  <td className="num pl-[16px] text-right">
                    {context.peak === null ? (
                      <span className="text-ink2">not known</span>
                    ) : (
                      formatExact(context.peak)
                    )}
                  </td>
                  <td className="pl-[16px] max-md:hidden" aria-hidden="true">
                    <PeakBar peak={context.peak} left={boundary?.to ?? null} most={most} limit={limit} />
                  </td>
                  <td className="whitespace-nowrap max-md:pl-[16px]">
                    {endWords(context, boundary?.trigger ?? null)}
                    {boundary === null || boundary.read === null || boundary.before === null ? null : (
                      <span className="pl-[8px] text-small text-ink2 max-lg:hidden">
                        client counted <span className="num">{formatExact(boundary.before)}</span>
                      </span>
                    )}
                  </td>
                  <td className="num pl-[16px] text-right max-md:hidden">
                    {boundary === null || boundary.after === null ? '' : formatExact(boundary.after)}
                    {boundary?.after == null || context.peak === null || context.peak <= 0 ? null : (
                      <span className="pl-[6px] text-ink2">
                        {formatPercent(boundary.after / context.peak)}
                      </span>
                    )}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
        {isCut ? (
          <p className="flex min-h-[28px] items-center gap-x-[10px] text-small text-ink2">
            <span>
              <span className="num">{formatExact(strip.length - shown.length)}</span> older ones.
            </span>
            <button type="button" className="link" onClick={grow}>
              List more
            </button>
          </p>
        ) : null}
      </div>
    </section>
  );
}

interface HeadProps {
  children: string;
  right?: boolean;
  className?: string;
}

function Head({ children, right = false, className = '' }: HeadProps) {
  return (
    <th
      scope="col"
      className={`py-[4px] font-normal ${right ? 'pl-[16px] text-right' : 'pr-[16px] text-left'} ${className}`}
    >
      {children}
    </th>
  );
}

/** `23 Jan 17:51:07`; the whole instant on hover. */
function Moment({ at, zone }: { at: number; zone: string }) {
  return (
    <time
      dateTime={new Date(at).toISOString()}
      title={formatInstant(at, zone)}
      className="num whitespace-nowrap"
    >
      <span className="text-ink2">{formatDay(at, zone)}</span> {formatClockSeconds(at, zone)}
    </time>
  );
}

function endWords({ endedBy }: StripContext, trigger: string | null): string {
  if (endedBy === null) return 'open';
  return endedBy === 'compaction' && trigger !== null ? `compaction, ${trigger}` : endedBy;
}

/** What it held at most, as the compaction's own bar: what went on is ink, what was dropped is hatch. */
function PeakBar({
  peak,
  left,
  most,
  limit,
}: {
  peak: number | null;
  left: number | null;
  most: number;
  limit: number | null;
}) {
  if (peak === null) return null;
  const x = (tokens: number) => (tokens / most) * BAR.width;
  const kept = left === null ? peak : Math.min(left, peak);
  return (
    <svg width={BAR.width + 2} height={BAR.height + 4} className="block overflow-visible" aria-hidden="true">
      <rect y={2} width={x(kept)} height={BAR.height} fill="var(--ink)" />
      {kept < peak ? (
        <path
          d={hatchPath({ x: x(kept), y: 2, width: x(peak) - x(kept), height: BAR.height })}
          stroke="var(--ink)"
          strokeWidth={0.9}
          fill="none"
        />
      ) : null}
      {limit === null ? null : (
        <line x1={x(limit)} x2={x(limit)} y1={0} y2={BAR.height + 4} stroke="var(--hair2)" />
      )}
    </svg>
  );
}
