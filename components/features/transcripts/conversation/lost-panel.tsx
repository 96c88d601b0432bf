'use client';
import Link from 'next/link';
import { useState } from 'react';
import type { TranscriptLost } from '@/core/api/transcript-lost';
import { CompactionBar } from '../../../charts/compaction-bar';
import { hatchPath } from '../../../charts/torn-edge';
import { formatBytes } from '../../../format/format-bytes';
import { formatCount, formatExact } from '../../../format/format-tokens';
import { visibleText } from '../../../format/visible-text';
import { labelWords } from './label-words';

interface LostPanelProps {
  id: string;
  lost: TranscriptLost | null;
  failed: string | null;
  limit: number | null;
  go: (entry: number) => void;
}

type Lost = NonNullable<TranscriptLost['lost']>;

/** What the compaction dropped: the archive compared with the context that followed. */
export function LostPanel({ id, lost, failed, limit, go }: LostPanelProps) {
  return (
    <section aria-labelledby="lost-title">
      <h2 id="lost-title" className="text-title">
        What was lost
      </h2>
      {lost === null ? (
        <p className="pt-[4px] text-ink2">{failed === null ? 'Comparing' : `Not available: ${failed}`}</p>
      ) : lost.lost === null ? (
        <p className="pt-[4px] text-ink2">{whyNot(lost)}</p>
      ) : (
        <Found id={id} lost={lost.lost} foundIn={lost.foundIn} limit={limit} go={go} />
      )}
    </section>
  );
}

function whyNot({ state, reason, foundIn }: TranscriptLost): string {
  if (state === 'failed') return `The transcript could not be processed: ${reason ?? 'no reason given'}.`;
  if (state !== 'read') return 'Available when the transcript is processed.';
  if (foundIn === null) {
    return 'Available after the next archive of this session.';
  }
  return 'No compaction in this transcript.';
}

interface FoundProps {
  id: string;
  lost: Lost;
  foundIn: TranscriptLost['foundIn'];
  limit: number | null;
  go: (entry: number) => void;
}

function Found({ id, lost, foundIn, limit, go }: FoundProps) {
  const { tokens, gone, kept, summary } = lost;
  const before = tokens.before ?? tokens.preTokens;
  const after = tokens.after;
  const words = headings(lost);
  return (
    <>
      <p className="pt-[4px] pb-[12px] text-ink2">
        {formatCount(gone.messages, 'message')}{' '}
        {summary === null ? 'dropped' : `became a summary of ${formatCount(summary.characters, 'character')}`}
        {kept.messages === 0 ? '' : `; ${formatCount(kept.messages, 'message')} kept verbatim`}.
        {summary === null && kept.messages === 0 ? ' No archive has the summary yet.' : ''}
        {after === null ? '' : ` The next call started at ${formatExact(after)} tokens.`}
      </p>
      {before === null || after === null ? (
        <p className="text-ink2">{sizeWords(before, after)}</p>
      ) : (
        <CompactionBar
          seed={`${id} ${lost.compaction.entry}`}
          before={before}
          after={after}
          limit={limit}
          afterWord="first call after"
        />
      )}
      {tokens.kept === null ? null : (
        <p className="pt-[6px] text-small text-ink2">
          {formatExact(tokens.kept)} tokens kept, by the client’s count
        </p>
      )}
      <Kinds gone={gone} />
      <Files title={words.files} files={lost.filesNotNamed} go={go} />
      <Tools title={words.tools} isCompared={words.isCompared} lost={lost} go={go} />
      <Files title={words.named} files={lost.filesNamed} go={go} />
      {summary === null ? null : (
        <details className="lost-part">
          <summary className="text-small text-ink2">Summary by the client</summary>
          <div className="as-it-is max-h-[420px] overflow-auto pt-[6px]">{visibleText(summary.text)}</div>
        </details>
      )}
      {foundIn === null || foundIn.id === id ? null : (
        <p className="lost-part text-small text-ink2">
          Compared with{' '}
          <Link href={`/transcripts/${foundIn.id}`} prefetch={false} className="link text-ink">
            a later transcript
          </Link>{' '}
          of the session
        </p>
      )}
    </>
  );
}

/** Headings by what it is compared with: the summary, the kept messages, or nothing. */
function headings({ summary, kept }: Lost) {
  if (summary !== null) {
    return {
      files: 'Files not in the summary',
      tools: 'Tool results not in the summary',
      named: 'Files in the summary',
      isCompared: true,
    };
  }
  if (kept.messages > 0) {
    return {
      files: 'Files not in the kept messages',
      tools: 'Tool results not in the kept messages',
      named: 'Files in the kept messages',
      isCompared: true,
    };
  }
  return {
    files: 'Files in the dropped context',
    tools: 'Tool results in the dropped context',
    named: '',
    isCompared: false,
  };
}

function sizeWords(before: number | null, after: number | null): string {
  if (before === null) return after === null ? 'Sizes unknown' : 'Size before unknown';
  return `${formatExact(before)} tokens before; the first call after is not in the archive`;
}

const KIND_WORDS: Readonly<Record<string, string>> = {
  tool_result: 'tool results',
  tool_call: 'tool calls',
  thinking: 'thinking',
  assistant: 'assistant',
  user: 'user',
  summary: 'older summary',
  system: 'system',
};

function Kinds({ gone }: { gone: Lost['gone'] }) {
  const kinds = Object.entries(gone.kinds)
    .filter(([kind, count]) => count > 0 && KIND_WORDS[kind] !== undefined)
    .sort((a, b) => (gone.kindBytes[b[0]] ?? 0) - (gone.kindBytes[a[0]] ?? 0) || b[1] - a[1]);
  if (kinds.length === 0) return null;
  const most = Math.max(1, ...kinds.map(([kind]) => gone.kindBytes[kind] ?? 0));
  return (
    <div className="lost-part">
      <h3 className="flex justify-between text-small text-ink2">
        <span>dropped, by kind</span>
        <span className="num">{formatBytes(gone.bytes)}</span>
      </h3>
      <ul className="pt-[4px]">
        {kinds.map(([kind, count]) => (
          <li key={kind} className="lost-kind">
            <span>{KIND_WORDS[kind]}</span>
            <KindBar share={(gone.kindBytes[kind] ?? 0) / most} />
            <span className="num text-right">{formatExact(count)}</span>
            <span className="num text-right text-small text-ink2">
              {formatBytes(gone.kindBytes[kind] ?? 0)}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

const BAR_PX = 96;
const BAR_HIGH_PX = 8;

/** Hatched like lost context in the barogram; the length is relative to the largest kind. */
function KindBar({ share }: { share: number }) {
  const width = Math.max(3, Math.round(share * BAR_PX));
  return (
    <svg width={BAR_PX} height={BAR_HIGH_PX} aria-hidden="true" className="self-center">
      <path
        d={hatchPath({ x: 0, y: 0, width, height: BAR_HIGH_PX })}
        stroke="var(--ink)"
        strokeWidth="0.9"
        fill="none"
      />
      <rect
        x="0.5"
        y="0.5"
        width={width - 1}
        height={BAR_HIGH_PX - 1}
        stroke="var(--ink)"
        fill="none"
        strokeWidth="0.75"
      />
    </svg>
  );
}

const FIRST = 6;

function Files({
  title,
  files,
  go,
}: {
  title: string;
  files: Lost['filesNamed'];
  go: (entry: number) => void;
}) {
  const [all, setAll] = useState(false);
  if (files.length === 0) return null;
  const shown = all ? files : files.slice(0, FIRST);
  return (
    <div className="lost-part">
      <h3 className="text-small text-ink2">{title}</h3>
      <ul className="pt-[4px]">
        {shown.map(({ path, reads, changes, entry }) => (
          <li key={path} className="lost-line">
            <button
              type="button"
              className="lost-name font-mono"
              title={`${visibleText(path)}: show its last use`}
              onClick={() => go(entry)}
            >
              <bdi>{baseName(visibleText(path))}</bdi>
            </button>
            <span className="text-small whitespace-nowrap text-ink2">{timesWords(reads, changes)}</span>
          </li>
        ))}
      </ul>
      <Rest count={files.length - shown.length} show={() => setAll(true)} />
    </div>
  );
}

interface ToolsProps {
  title: string;
  isCompared: boolean;
  lost: Lost;
  go: (entry: number) => void;
}

function Tools({ title, isCompared, lost, go }: ToolsProps) {
  const [all, setAll] = useState(false);
  const { toolsNotNamed: tools, toolsNotNamedTotal, toolsTotal } = lost;
  if (tools.length === 0) return null;
  const shown = all ? tools : tools.slice(0, FIRST);
  return (
    <div className="lost-part">
      <h3 className="flex justify-between text-small text-ink2">
        <span>{title}</span>
        <span className="num">
          {formatExact(toolsNotNamedTotal)}
          {isCompared ? ` of ${formatExact(toolsTotal)}` : ''}
        </span>
      </h3>
      <ul className="pt-[4px]">
        {shown.map(({ entry, tool, label, isError, characters }) => (
          <li key={entry} className="lost-line">
            <button
              type="button"
              className="lost-name"
              title={label === null ? undefined : visibleText(label)}
              onClick={() => go(entry)}
            >
              {visibleText(tool)}{' '}
              <span className="font-mono">
                <bdi>{visibleText(labelWords(label ?? '')).split('\n')[0]}</bdi>
              </span>
            </button>
            <span className="text-small whitespace-nowrap text-ink2">
              {isError ? 'error' : formatBytes(characters)}
            </span>
          </li>
        ))}
      </ul>
      <Rest count={tools.length - shown.length} show={() => setAll(true)} />
    </div>
  );
}

function Rest({ count, show }: { count: number; show: () => void }) {
  if (count <= 0) return null;
  return (
    <button type="button" className="link mt-[4px] text-small" onClick={show}>
      {formatExact(count)} more
    </button>
  );
}

function baseName(path: string): string {
  return path.split(/[\\/]/).filter(Boolean).at(-1) ?? path;
}

function timesWords(reads: number, changes: number): string {
  const parts = [
    reads === 0 ? null : `read ${formatExact(reads)}×`,
    changes === 0 ? null : `changed ${formatExact(changes)}×`,
  ];
  return parts.filter((part) => part !== null).join(', ');
}
