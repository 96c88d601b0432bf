import Link from 'next/link';
import { Fragment, memo } from 'react';
import { formatBytes } from '../../../format/format-bytes';
import { formatInstant } from '../../../format/format-time';
import { formatCount, formatExact } from '../../../format/format-tokens';
import {
  agentWords,
  checksumTitle,
  checksumWords,
  isBeyondLimit,
  limitsHref,
  momentWords,
  outcomeWords,
  placeWords,
  STATE_WORDS,
  transcriptTitle,
  triggerWords,
  VERSION_WORDS,
} from '../../../format/transcript-words';
import { Ago } from '../../../ui/ago';
import { FiguresText } from '../../../ui/figures-text';
import { PlainText } from '../text/masked-text';
import { Dotted, TranscriptGlyph } from './transcript-glyph';
import type { ListedTranscript } from './transcripts-query';

interface TranscriptListRowProps {
  row: ListedTranscript;
  index: number;
  words: string;
  zone: string;
  now: number;
  /** Bytes of the largest transcript in the list. */
  longest: number;
}

/** The browser skips the layout of rows off screen. On a phone the copy is below the session. */
const ROW =
  'relative grid min-h-[36px] cursor-pointer scroll-my-[40px] grid-cols-(--columns) items-center gap-x-[18px] border-b border-hair py-[2px] leading-[16px] -outline-offset-1 outline-hair2 [contain-intrinsic-size:auto_37px] [content-visibility:auto] focus-within:bg-sunken focus-within:outline hover:bg-sunken max-[720px]:grid-cols-[auto_minmax(0,1fr)_auto] max-[720px]:grid-rows-[auto_auto_auto] max-[720px]:gap-x-[8px] max-[720px]:gap-y-[4px] max-[720px]:py-[8px] max-[720px]:[contain-intrinsic-size:auto_84px]';
const SUB = 'block text-[11px] leading-[14px] text-ink2';
const NONE = <span className="text-ink2">–</span>;

export const TranscriptListRow = memo(function TranscriptListRow(props: TranscriptListRowProps) {
  const { row, index, words, zone, now, longest } = props;
  const title = transcriptTitle(row);
  const copy = checksumWords(row, zone, now);
  const place = placeWords(row);
  const version = VERSION_WORDS[row.version];
  const outcome = outcomeWords(row.compaction);
  const agent = agentWords(row);
  return (
    <tr aria-rowindex={index + 2} data-row={index} data-transcript={row.id} className={ROW}>
      <td
        className={`flex items-center gap-[7px] whitespace-nowrap max-[720px]:row-start-2 max-[720px]:self-start max-[720px]:pt-px ${row.state === 'stored' ? '' : 'text-ink2'}`}
      >
        <TranscriptGlyph state={row.state} />
        <span className="max-[720px]:hidden">{STATE_WORDS[row.state]}</span>
      </td>
      <td className="min-w-0 max-[720px]:col-span-2 max-[720px]:row-start-1">
        <Link
          href={`/transcripts/${row.id}${words === '' ? '' : `?${new URLSearchParams({ q: words })}`}`}
          prefetch={false}
          className="block truncate"
          title={title}
        >
          <bdi>{title}</bdi>
        </Link>
        <span className={`${SUB} truncate`} title={row.fileName ?? undefined}>
          <Dotted>
            <bdi>{row.project}</bdi>
            {agent && <bdi className="text-ink">{agent}</bdi>}
            {row.fileName && row.fileName !== title && <bdi>{row.fileName}</bdi>}
          </Dotted>
        </span>
      </td>
      <td className="min-w-0 max-[720px]:row-start-2">
        <span
          className="block truncate max-[720px]:whitespace-normal max-[720px]:[overflow-wrap:anywhere]"
          title={checksumTitle(row, zone) || copy}
        >
          <FiguresText text={copy} />
        </span>
        <span
          className={`${SUB} truncate max-[720px]:whitespace-normal max-[720px]:[overflow-wrap:anywhere]`}
          title={`${version.long}${place === '' ? '' : `; ${place}`}`}
        >
          <Dotted>
            {isBeyondLimit(row) ? (
              <Link href={limitsHref(row.project)} prefetch={false} className="link">
                Project limits
              </Link>
            ) : null}
            {version.short}
            {place && <bdi>{place}</bdi>}
          </Dotted>
        </span>
      </td>
      <td
        className="text-ink2 max-lg:hidden"
        title={outcome === null ? undefined : `Archived ${triggerWords(row)}`}
      >
        {row.trigger ?? '–'}
        {outcome && <span className={SUB}>{outcome}</span>}
      </td>
      <td className="text-right max-[720px]:row-start-1">
        <Ago at={row.at} />
        <span className={`${SUB} num`} title={formatInstant(row.at, zone)}>
          {momentWords(row.at, zone, now)}
        </span>
      </td>
      <td
        className="num text-right max-[720px]:row-start-2 max-[720px]:self-start"
        title={row.bytes === null ? undefined : `${formatExact(row.bytes)} bytes`}
      >
        {row.bytes === null ? NONE : formatBytes(row.bytes)}
        {row.bytes === null ? null : (
          <span
            aria-hidden="true"
            className="mt-[3px] ml-auto block h-[3px] min-w-px bg-ink3"
            style={{ width: `${(100 * row.bytes) / longest}%` }}
          />
        )}
      </td>
      <td className="text-right max-lg:hidden">
        <span className="num">{row.messages === null ? NONE : formatExact(row.messages)}</span>
        {row.secrets ? (
          <span className={`${SUB} num`} title="Possible secrets, masked until shown">
            {formatCount(row.secrets, 'secret')}
          </span>
        ) : null}
      </td>
      {row.hits.length === 0 ? null : (
        <td className="col-start-2 col-end-[-1] min-w-0 pt-[2px] pb-[6px] max-[720px]:col-span-full max-[720px]:row-start-3">
          <Hits row={row} words={words} />
        </td>
      )}
    </tr>
  );
});

const HIT =
  'grid grid-cols-[84px_minmax(0,1fr)] gap-x-[10px] py-px leading-[20px] max-[720px]:grid-cols-[64px_minmax(0,1fr)]';

function Hits({ row: { id, hits, hitCount }, words }: { row: ListedTranscript; words: string }) {
  const rest = (hitCount ?? 0) - hits.length;
  return (
    <ul>
      {hits.map(({ line, excerpt, marks }) => (
        <li key={`${line} ${excerpt}`} className={HIT}>
          <span className="num text-small text-ink2">line {formatExact(line + 1)}</span>
          <Link
            href={`/transcripts/${id}?${new URLSearchParams({ q: words, line: String(line) })}`}
            prefetch={false}
            className="min-w-0 [overflow-wrap:anywhere] hover:underline hover:decoration-hair2 hover:underline-offset-[3px]"
          >
            <bdi>
              {marks.map(([from, to], index) => (
                <Fragment key={from}>
                  <PlainText text={excerpt.slice(marks[index - 1]?.[1] ?? 0, from)} />
                  <mark className="bg-transparent font-semibold text-inherit underline decoration-[1.5px] underline-offset-[3px]">
                    <PlainText text={excerpt.slice(from, to)} />
                  </mark>
                </Fragment>
              ))}
              <PlainText text={excerpt.slice(marks.at(-1)?.[1] ?? 0)} />
            </bdi>
          </Link>
        </li>
      ))}
      {rest > 0 ? (
        <li className={`${HIT} text-small text-ink2`}>
          <span className="col-start-2">and {formatCount(rest, 'more match', 'more matches')}</span>
        </li>
      ) : null}
    </ul>
  );
}
