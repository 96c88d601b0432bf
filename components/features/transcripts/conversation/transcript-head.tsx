'use client';
import Link from 'next/link';
import type { TranscriptRow } from '@/core/api/transcripts';
import { downloadPath } from '../../../data/transcript-queries';
import { formatBytes } from '../../../format/format-bytes';
import { formatInstant } from '../../../format/format-time';
import { formatCount } from '../../../format/format-tokens';
import {
  agentWords,
  checksumTitle,
  checksumWords,
  isBeyondLimit,
  limitsHref,
  momentWords,
  placeWords,
  transcriptTitle,
  triggerWords,
  VERSION_WORDS,
} from '../../../format/transcript-words';
import { useMay } from '../../../preferences/viewer';
import { Button } from '../../../ui/button';
import { Dotted, TranscriptGlyph } from '../list/transcript-glyph';

interface TranscriptHeadProps {
  row: TranscriptRow;
  zone: string;
  now: number;
  isRaw: boolean;
  setRaw: (raw: boolean) => void;
  askToDelete: () => void;
}

export function TranscriptHead({ row, zone, now, isRaw, setRaw, askToDelete }: TranscriptHeadProps) {
  const canAdmin = useMay()('admin', row.project);
  const version = VERSION_WORDS[row.version];
  const session = `/sessions/${row.sessionId}`;
  return (
    // Without room for the whole header, only its title is sticky, and a box around it would end that.
    <header className="contents tall:sticky tall:top-[48px] tall:z-20 tall:block tall:bg-paper">
      <div className="z-20 flex items-center gap-x-[16px] bg-paper max-sm:contents sm:sticky sm:top-0 sm:h-[44px] tall:static tall:h-[38px] tall:pt-[6px]">
        <h1
          className="min-w-0 truncate bg-paper text-title max-sm:sticky max-sm:top-0 max-sm:z-20 max-sm:pt-[12px] max-sm:pb-[2px]"
          title={transcriptTitle(row)}
        >
          <bdi>{transcriptTitle(row)}</bdi>
        </h1>
        <div className="ml-auto flex gap-[8px] max-sm:ml-0 max-sm:flex-wrap max-sm:pt-[4px] sm:shrink-0">
          <Link
            href={row.eventId === null ? session : `${session}?event=${encodeURIComponent(row.eventId)}`}
            prefetch={false}
            className="button"
          >
            {row.eventId === null ? 'Session' : 'Compaction'}
          </Link>
          {row.state === 'stored' ? (
            <>
              <Button
                className={isRaw ? 'border-ink' : ''}
                aria-pressed={isRaw}
                onClick={() => setRaw(!isRaw)}
              >
                Raw
              </Button>
              {canAdmin ? (
                <a className="button" href={downloadPath(row.id)} download>
                  Download
                </a>
              ) : null}
            </>
          ) : null}
          {row.state === 'deleted' || !canAdmin ? null : <Button onClick={askToDelete}>Delete…</Button>}
        </div>
      </div>
      <div className={`pb-[10px] text-small ${row.state === 'stored' ? 'tall:h-[24px] tall:truncate' : ''}`}>
        <p className="text-ink2 max-sm:pt-[2px] tall:inline">
          <Dotted>
            <bdi>{row.project}</bdi>
            {agentWords(row) && <bdi className="text-ink">{agentWords(row)}</bdi>}
            <span>
              {triggerWords(row)},{' '}
              <time dateTime={row.at} title={formatInstant(row.at, zone)} className="num">
                {momentWords(row.at, zone, now)}
              </time>
            </span>
            {row.bytes === null ? null : <span className="num">{formatBytes(row.bytes)}</span>}
            {row.lines === null ? null : formatCount(row.lines, 'line')}
            {row.messages === null ? null : formatCount(row.messages, 'message')}
            {row.fileName && <bdi title={row.path ?? undefined}>{row.fileName}</bdi>}
          </Dotted>
          <span className="hidden tall:inline"> · </span>
        </p>
        <p className="tall:inline">
          <span className="mr-[7px] inline-block align-[-2px]">
            <TranscriptGlyph state={row.state} />
          </span>
          <Dotted>
            <span title={checksumTitle(row, zone) || undefined}>{checksumWords(row, zone, now)}</span>
            <span className="text-ink2" title={version.long}>
              <Dotted>
                {version.short}
                {placeWords(row)}
              </Dotted>
            </span>
            {isBeyondLimit(row) ? (
              <Link href={limitsHref(row.project)} prefetch={false} className="link">
                Limits of {row.project}
              </Link>
            ) : null}
          </Dotted>
        </p>
      </div>
    </header>
  );
}
