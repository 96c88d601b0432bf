'use client';
import Link from 'next/link';
import { useState } from 'react';
import type { TranscriptLost } from '@/core/api/transcript-lost';
import { CompactionBar } from '../../../charts/compaction-bar';
import { hatchPath } from '../../../charts/torn-edge';
import { formatBytes } from '../../../format/format-bytes';
import { formatCount, formatExact } from '../../../format/format-tokens';
import { visibleText } from '../../../format/visible-text';
import { labelWords } from './message-parts';

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
      {lost?.lost ? (
        <Found id={id} lost={lost.lost} limit={limit} go={go} />
      ) : (
        <p className="pt-[4px] text-ink2">
          {lost === null
            ? failed === null
              ? 'Comparing'
              : `Not available: ${failed}`
            : lost.foundIn === null
              ? 'Available after the next archive of this session.'
              : 'No compaction in this transcript.'}
        </p>
      )}
      {lost?.lost && lost.foundIn && lost.foundIn.id !== id ? (
        <p className={`${PART} text-small text-ink2`}>
          Compared with{' '}
          <Link href={`/transcripts/${lost.foundIn.id}`} prefetch={false} className="link text-ink">
            a later transcript
          </Link>{' '}
          of the session
        </p>
      ) : null}
    </section>
  );
}

function Found({ id, lost, limit, go }: Pick<LostPanelProps, 'id' | 'limit' | 'go'> & { lost: Lost }) {
  const { tokens, gone, kept, summary } = lost;
  const before = tokens.preTokens ?? tokens.before;
  const { after } = tokens;
  const other = summary !== null ? 'the summary' : kept.messages > 0 ? 'the kept messages' : null;
  const where = other === null ? 'in the dropped context' : `not in ${other}`;
  const ofTools = `${formatExact(lost.toolsNotNamedTotal)}${other === null ? '' : ` of ${formatExact(lost.toolsTotal)}`}`;
  return (
    <>
      <p className="pt-[4px] pb-[12px] text-ink2">
        {formatCount(gone.messages, 'message')}{' '}
        {summary === null ? 'dropped' : `became a summary of ${formatCount(summary.characters, 'character')}`}
        {kept.messages === 0 ? '' : `; ${formatCount(kept.messages, 'message')} kept verbatim`}.
        {other === null ? ' No archive has the summary yet.' : ''}
        {after === null ? '' : ` The next call started at ${formatExact(after)} tokens.`}
      </p>
      {before === null || after === null ? (
        <p className="text-ink2">
          {before === null
            ? 'Size before unknown'
            : `${formatExact(before)} tokens before; the first call after is not in the archive`}
        </p>
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
      <Lines title={`Files ${where}`} lines={lost.filesNotNamed.map(fileLine)} go={go} />
      <Lines
        title={`Tool results ${where}`}
        count={ofTools}
        lines={lost.toolsNotNamed.map(toolLine)}
        go={go}
      />
      <Lines title={`Files in ${other}`} lines={lost.filesNamed.map(fileLine)} go={go} />
      {summary === null ? null : (
        <details className={PART}>
          <summary className="cursor-pointer text-small text-ink2">Summary by the client</summary>
          <div className="as-it-is max-h-[420px] overflow-auto pt-[6px]">{visibleText(summary.text)}</div>
        </details>
      )}
    </>
  );
}

const PART = 'mt-[14px] border-t border-hair pt-[10px]';

const KINDS = ['tool_result', 'tool_call', 'thinking', 'assistant', 'user', 'summary', 'system'];
const KIND_WORDS: Readonly<Record<string, string>> = {
  tool_result: 'tool results',
  tool_call: 'tool calls',
  summary: 'older summary',
};

const BAR_PX = 96;

/** Bars hatched like lost context in the barogram, relative to the largest kind. */
function Kinds({ gone }: { gone: Lost['gone'] }) {
  const kinds = KINDS.map((kind) => ({
    kind,
    count: gone.kinds[kind] ?? 0,
    bytes: gone.kindBytes[kind] ?? 0,
  }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.bytes - a.bytes || b.count - a.count);
  if (kinds.length === 0) return null;
  const most = Math.max(1, kinds[0]?.bytes ?? 0);
  return (
    <Part title="dropped, by kind" count={formatBytes(gone.bytes)}>
      <ul className="pt-[4px]">
        {kinds.map(({ kind, count, bytes }) => {
          const width = Math.max(3, Math.round((bytes / most) * BAR_PX));
          return (
            <li
              key={kind}
              className="grid grid-cols-[minmax(0,1fr)_96px_48px_60px] items-baseline gap-x-[12px] leading-[22px]"
            >
              <span>{KIND_WORDS[kind] ?? kind}</span>
              <svg width={BAR_PX} height={8} aria-hidden="true" className="self-center" stroke="var(--ink)">
                <path d={hatchPath({ x: 0, y: 0, width, height: 8 })} strokeWidth="0.9" />
                <rect x="0.5" y="0.5" width={width - 1} height={7} fill="none" strokeWidth="0.75" />
              </svg>
              <span className="num text-right">{formatExact(count)}</span>
              <span className="num text-right text-small text-ink2">{formatBytes(bytes)}</span>
            </li>
          );
        })}
      </ul>
    </Part>
  );
}

interface PartProps {
  title: string;
  count?: string | undefined;
  children: React.ReactNode;
}

function Part({ title, count, children }: PartProps) {
  return (
    <div className={PART}>
      <h3 className="flex justify-between text-small text-ink2">
        <span>{title}</span>
        <span className="num">{count}</span>
      </h3>
      {children}
    </div>
  );
}

interface LostLine {
  entry: number;
  title: string;
  name: React.ReactNode;
  note: string;
}

function fileLine({ path, reads, changes, entry }: Lost['filesNamed'][number]): LostLine {
  const shown = visibleText(path);
  const uses = [
    reads > 0 && `read ${formatExact(reads)}×`,
    changes > 0 && `changed ${formatExact(changes)}×`,
  ];
  return {
    entry,
    title: `${shown}: show its last use`,
    name: <bdi className="font-mono">{shown.split(/[\\/]/).filter(Boolean).at(-1) ?? shown}</bdi>,
    note: uses.filter(Boolean).join(', '),
  };
}

function toolLine({ entry, tool, label, isError, characters }: Lost['toolsNotNamed'][number]): LostLine {
  return {
    entry,
    title: visibleText(label ?? ''),
    name: (
      <>
        {visibleText(tool)}{' '}
        <bdi className="font-mono">{visibleText(labelWords(label ?? '')).split('\n')[0]}</bdi>
      </>
    ),
    note: isError ? 'error' : formatBytes(characters),
  };
}

interface LinesProps extends Omit<PartProps, 'children'> {
  lines: readonly LostLine[];
  go: (entry: number) => void;
}

function Lines({ title, count, lines, go }: LinesProps) {
  const [all, setAll] = useState(false);
  if (lines.length === 0) return null;
  const shown = all ? lines : lines.slice(0, 6);
  return (
    <Part title={title} count={count}>
      <ul className="pt-[4px]">
        {shown.map(({ entry, title, name, note }) => (
          <li
            key={`${entry} ${title}`}
            className="flex items-baseline justify-between gap-[12px] leading-[22px]"
          >
            <button
              type="button"
              className="min-w-0 truncate text-left underline-offset-[3px] hover:underline"
              title={title}
              onClick={() => go(entry)}
            >
              {name}
            </button>
            <span className="text-small whitespace-nowrap text-ink2">{note}</span>
          </li>
        ))}
      </ul>
      {shown.length === lines.length ? null : (
        <button type="button" className="link mt-[4px] text-small" onClick={() => setAll(true)}>
          {formatExact(lines.length - shown.length)} more
        </button>
      )}
    </Part>
  );
}
