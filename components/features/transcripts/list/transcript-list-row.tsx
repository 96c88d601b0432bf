import Link from 'next/link';
import { memo } from 'react';
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
import { markedParts } from '../text/marked-parts';
import { PlainText } from '../text/plain-text';
import { Dotted } from './dotted';
import { TranscriptGlyph } from './transcript-glyph';
import type { ListedTranscript } from './transcripts-query';

interface TranscriptListRowProps {
  row: ListedTranscript;
  index: number;
  /** The search text. */
  words: string;
  zone: string;
  now: number;
  /** Bytes of the largest transcript in the list. */
  longest: number;
}

const SUB = 'block text-[11px] leading-[14px] text-ink2';
const NONE = <span className="text-ink2">–</span>;

/** One transcript: its session, its state and its search matches. */
export const TranscriptListRow = memo(function TranscriptListRow(props: TranscriptListRowProps) {
  const { row, index, words, zone, now, longest } = props;
  const title = transcriptTitle(row);
  const copy = checksumWords(row, zone, now);
  const place = placeWords(row);
  const version = VERSION_WORDS[row.version];
  const outcome = outcomeWords(row.compaction);
  const agent = agentWords(row);
  return (
    <tr aria-rowindex={index + 2} data-row={index} data-transcript={row.id} className="sheets-row">
      <td className={`c-state ${row.state === 'stored' ? '' : 'text-ink2'}`}>
        <TranscriptGlyph state={row.state} />
        <span>{STATE_WORDS[row.state]}</span>
      </td>
      <td className="c-session">
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
            {row.fileName === title ? null : row.fileName && <bdi>{row.fileName}</bdi>}
          </Dotted>
        </span>
      </td>
      <td className="c-copy">
        <span className="clip block truncate" title={checksumTitle(row, zone) || copy}>
          <FiguresText text={copy} />
        </span>
        <span className={`clip ${SUB} truncate`} title={`${version.long}${place === '' ? '' : `; ${place}`}`}>
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
        className="c-trigger text-ink2"
        title={outcome === null ? undefined : `Archived ${triggerWords(row)}`}
      >
        {row.trigger ?? '–'}
        {outcome && <span className={SUB}>{outcome}</span>}
      </td>
      <td className="c-when">
        <Ago at={row.at} />
        <span className={`${SUB} num`} title={formatInstant(row.at, zone)}>
          {momentWords(row.at, zone, now)}
        </span>
      </td>
      <td className="c-size num" title={row.bytes === null ? undefined : `${formatExact(row.bytes)} bytes`}>
        {row.bytes === null ? NONE : formatBytes(row.bytes)}
        {row.bytes === null ? null : (
          <span
            aria-hidden="true"
            className="mt-[3px] ml-auto block h-[3px] min-w-px bg-ink3"
            style={{ width: `${(100 * row.bytes) / longest}%` }}
          />
        )}
      </td>
      <td className="c-messages">
        <span className="num">{row.messages === null ? NONE : formatExact(row.messages)}</span>
        {row.secrets ? (
          <span className={`${SUB} num`} title="Possible secrets, masked until shown">
            {formatCount(row.secrets, 'secret')}
          </span>
        ) : null}
      </td>
      {row.hits.length === 0 ? null : (
        <td className="c-hits">
          <Hits row={row} words={words} />
        </td>
      )}
    </tr>
  );
});

const HIT =
  'grid grid-cols-[84px_minmax(0,1fr)] gap-x-[10px] py-px leading-[20px] max-[720px]:grid-cols-[64px_minmax(0,1fr)]';

/** Matches with their context, as links to their place. */
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
              {markedParts(excerpt, marks).map(({ text, from, isMarked }) =>
                isMarked ? (
                  <mark
                    key={from}
                    className="bg-transparent font-semibold text-inherit underline decoration-[1.5px] underline-offset-[3px]"
                  >
                    <PlainText text={text} />
                  </mark>
                ) : (
                  <PlainText key={from} text={text} />
                ),
              )}
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
