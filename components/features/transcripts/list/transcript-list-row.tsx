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
import { HitLines } from './hit-lines';
import { TranscriptGlyph } from './transcript-glyph';
import type { ListedTranscript } from './use-transcripts';

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

/** One transcript: its session, its state and its search matches. */
export const TranscriptListRow = memo(function TranscriptListRow(props: TranscriptListRowProps) {
  const { row, index, words, zone, now, longest } = props;
  const title = transcriptTitle(row);
  const isGone = row.state !== 'stored';
  const copy = checksumWords(row, zone, now);
  const place = placeWords(row);
  const version = VERSION_WORDS[row.version];
  const outcome = outcomeWords(row.compaction);
  const agent = agentWords(row);
  return (
    <tr aria-rowindex={index + 2} data-row={index} data-transcript={row.id} className="sheets-row">
      <td className={`c-state ${isGone ? 'text-ink2' : ''}`}>
        <TranscriptGlyph state={row.state} />
        <span>{STATE_WORDS[row.state]}</span>
      </td>
      <td className="c-session">
        <Link
          href={`/transcripts/${row.id}${words.trim() === '' ? '' : `?${new URLSearchParams({ q: words.trim() })}`}`}
          prefetch={false}
          className="clip"
          title={title}
        >
          <bdi>{title}</bdi>
        </Link>
        <span className="sub clip" title={row.fileName ?? undefined}>
          <bdi>{row.project}</bdi>
          {agent === null ? null : (
            <>
              {' · '}
              <bdi className="text-ink">{agent}</bdi>
            </>
          )}
          {row.fileName === null || row.fileName === title ? null : (
            <>
              {' · '}
              <bdi>{row.fileName}</bdi>
            </>
          )}
        </span>
      </td>
      <td className="c-copy">
        <span className="clip" title={checksumTitle(row, zone) || copy}>
          <FiguresText text={copy} />
        </span>
        <span className="sub clip" title={`${version.long}${place === '' ? '' : `; ${place}`}`}>
          {isBeyondLimit(row) ? (
            <>
              <Link href={limitsHref(row.project)} prefetch={false} className="link">
                Project limits
              </Link>
              {' · '}
            </>
          ) : null}
          {version.short}
          {place === '' ? null : (
            <>
              {' · '}
              <bdi>{place}</bdi>
            </>
          )}
        </span>
      </td>
      <td
        className="c-trigger text-ink2"
        title={outcome === null ? undefined : `Archived ${triggerWords(row)}`}
      >
        {row.trigger ?? '–'}
        {outcome === null ? null : <span className="sub">{outcome}</span>}
      </td>
      <td className="c-when">
        <Ago at={row.at} />
        <span className="sub num" title={formatInstant(row.at, zone)}>
          {momentWords(row.at, zone, now)}
        </span>
      </td>
      <td className="c-size num" title={row.bytes === null ? undefined : `${formatExact(row.bytes)} bytes`}>
        {row.bytes === null ? (
          <span className="text-ink2">–</span>
        ) : (
          <>
            {formatBytes(row.bytes)}
            <span
              aria-hidden="true"
              className="size-bar"
              style={{ width: `${(100 * row.bytes) / longest}%` }}
            />
          </>
        )}
      </td>
      <td className="c-messages">
        <span className="num">
          {row.messages === null ? <span className="text-ink2">–</span> : formatExact(row.messages)}
        </span>
        {row.secrets === null || row.secrets === 0 ? null : (
          <span className="sub num" title="Possible secrets, masked until shown">
            {formatCount(row.secrets, 'secret')}
          </span>
        )}
      </td>
      {row.hits.length === 0 ? null : (
        <td className="c-hits">
          <HitLines id={row.id} hits={row.hits} total={row.hitCount} words={words.trim()} />
        </td>
      )}
    </tr>
  );
});
