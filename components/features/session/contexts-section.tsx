'use client';
import { formatDuration } from '../../format/format-duration';
import { formatPercent } from '../../format/format-percent';
import { formatClockSeconds, formatDay, formatInstant } from '../../format/format-time';
import { formatExact } from '../../format/format-tokens';
import { PartNotice } from '../../ui/part-notice';
import { type ContextSpan, zoomOf } from './prepare-strip';
import { FoldedSection, useGrowingRows, useSessionPage } from './session-page';

/** Rows drawn at first, more than fit on screen, and rows added each time. */
const ROWS = 24;
const MORE_ROWS = 100;

const HEADS: ReadonlyArray<[name: string, className: string]> = [
  ['context', 'pr-[8px] md:pr-[16px] text-left'],
  ['from', 'pr-[8px] md:pr-[16px] text-left'],
  ['to', 'pr-[8px] md:pr-[16px] text-left max-md:hidden'],
  ['lasted', 'pl-[8px] md:pl-[16px] text-right max-md:hidden'],
  ['turns', 'pl-[8px] md:pl-[16px] text-right'],
  ['peak tokens', 'pl-[8px] md:pl-[16px] text-right whitespace-nowrap'],
  ['ended by', 'pr-[8px] md:pr-[16px] pl-[8px] md:pl-[16px] text-left whitespace-nowrap'],
  ['carried over', 'pl-[8px] md:pl-[16px] text-right max-md:hidden'],
];

/** Each context as a row: start, end, turns, peak, and why it ended. A press on the number zooms the sheet. */
export function ContextsSection() {
  const { parts, spans } = useSessionPage().data;
  const { most: rows, onScroll } = useGrowingRows(ROWS, MORE_ROWS);
  return (
    <FoldedSection
      title="Contexts"
      notice={<PartNotice what="The contexts" parts={parts.contexts} />}
      note={<span className="num">{formatExact(spans.length)}</span>}
    >
      <div className="max-h-[316px] overflow-auto" onScroll={onScroll}>
        <table className="w-full max-w-[1400px] border-collapse md:min-w-[620px]">
          <caption className="sr-only">Contexts of this session</caption>
          <thead>
            <tr className="border-b border-hair2 text-small text-ink2">
              {HEADS.map(([name, className]) => (
                <th key={name} scope="col" className={`py-[4px] font-normal ${className}`}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {spans
              .slice(-rows)
              .toReversed()
              .map((span) => (
                <Row key={span.index} span={span} />
              ))}
          </tbody>
        </table>
      </div>
    </FoldedSection>
  );
}

function Row({ span }: { span: ContextSpan }) {
  const { url, change, zone } = useSessionPage();
  const { index, fromAt, toAt, turns, peak, end, complete } = span;
  const { isShown, change: zoom } = zoomOf(span, url);
  const moment = (at: number) => (
    <time
      dateTime={new Date(at).toISOString()}
      title={formatInstant(at, zone)}
      className="num whitespace-nowrap"
    >
      <span className="text-ink2">{formatDay(at, zone)}</span> {formatClockSeconds(at, zone)}
    </time>
  );
  const trigger = end?.kind === 'compaction' && end.trigger !== null ? `, ${end.trigger}` : '';
  return (
    <tr className={`border-b border-hair ${isShown ? 'bg-sunken' : ''}`}>
      <th scope="row" className="py-[4px] text-left font-normal">
        <button
          type="button"
          className="num link px-[2px]"
          aria-pressed={isShown}
          aria-label={`Show context ${index} on the chart`}
          onClick={() => change(zoom)}
        >
          {formatExact(index)}
        </button>
      </th>
      <td className="pr-[8px] md:pr-[16px]">{moment(fromAt)}</td>
      <td className="pr-[8px] md:pr-[16px] max-md:hidden">{end === null ? null : moment(toAt)}</td>
      <td className="num text-right max-md:hidden">{formatDuration(toAt - fromAt)}</td>
      <td className="num pl-[8px] md:pl-[16px] text-right">
        {complete ? '' : '≥'}
        {formatExact(turns)}
      </td>
      <td className="num pl-[8px] md:pl-[16px] text-right">
        {peak === null ? <span className="text-ink2">unknown</span> : formatExact(peak)}
      </td>
      <td className="pl-[8px] md:pl-[16px] md:whitespace-nowrap">
        {end === null ? 'open' : `${end.kind}${trigger}`}
      </td>
      <td className="num pl-[8px] md:pl-[16px] text-right max-md:hidden">
        {end === null || end.after === null ? '' : formatExact(end.after)}
        {end === null || end.after === null || peak === null || peak <= 0 ? null : (
          <span className="pl-[6px] text-ink2">{formatPercent(end.after / peak)}</span>
        )}
      </td>
    </tr>
  );
}
