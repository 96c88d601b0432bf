'use client';
import Link from 'next/link';
import type { TranscriptRow } from '@/core/api/transcripts';
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
import { Button } from '../../../ui/button';
import { Dotted, TranscriptGlyph } from '../list/transcript-glyph';
import { downloadPath } from '../transcript-queries';

interface TranscriptHeadProps {
  row: TranscriptRow;
  zone: string;
  now: number;
  isRaw: boolean;
  setRaw: (raw: boolean) => void;
  askToDelete: () => void;
}

export function TranscriptHead({ row, zone, now, isRaw, setRaw, askToDelete }: TranscriptHeadProps) {
  const version = VERSION_WORDS[row.version];
  const session = `/sessions/${row.sessionId}`;
  return (
    <header className="pt-[14px] pb-[10px]">
      <div className="flex flex-wrap items-center gap-x-[16px] gap-y-[6px]">
        <h1 className="min-w-0 text-title [overflow-wrap:anywhere]">
          <bdi>{transcriptTitle(row)}</bdi>
        </h1>
        <div className="ml-auto flex flex-wrap gap-[8px] max-sm:ml-0">
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
              <a className="button" href={downloadPath(row.id)} download>
                Download
              </a>
            </>
          ) : null}
          {row.state === 'deleted' ? null : <Button onClick={askToDelete}>Delete…</Button>}
        </div>
      </div>
      <p className="pt-[2px] text-small text-ink2">
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
      </p>
      <div className="flex items-start gap-x-[7px] text-small">
        <span className="pt-[2px]">
          <TranscriptGlyph state={row.state} />
        </span>
        <p>
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
