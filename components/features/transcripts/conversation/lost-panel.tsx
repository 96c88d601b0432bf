'use client';
import Link from 'next/link';
import { useState } from 'react';
import type { TranscriptLost } from '@/core/api/transcript-lost';
import { CompactionBar } from '../../../charts/compaction-bar';
import { LostKinds } from '../../../charts/lost-kinds';
import { formatCount, formatExact, formatTokens } from '../../../format/format-tokens';
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
        <Found lost={lost.lost} limit={limit} go={go} />
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

function Found({ lost, limit, go }: Pick<LostPanelProps, 'limit' | 'go'> & { lost: Lost }) {
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
            : `${formatExact(before)} tokens before; the next call is not in the archive`}
        </p>
      ) : (
        <CompactionBar
          seed={String(lost.compaction.entry)}
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
      <div className={PART}>
        <LostKinds gone={gone} />
      </div>
      <Lines
        title={`User messages ${where.replace('not', 'not quoted')}`}
        lines={lost.prompts.flatMap(promptLine)}
        go={go}
      />
      {lost.tasks.length === 0 ? null : (
        <Part title={`Open tasks ${where}`} count={formatExact(lost.tasks.length)}>
          <ul className="max-h-[132px] overflow-auto pt-[4px] leading-[22px]">
            {lost.tasks.map(({ text }) => (
              <li key={text}>{visibleText(text)}</li>
            ))}
          </ul>
        </Part>
      )}
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

/** The size of a text in tokens, by the estimate of the sizes by role. */
const aboutTokens = (characters: number) => `≈ ${formatTokens(Math.ceil(characters / 4))}`;

function promptLine({ entry, text, characters, isNamed }: Lost['prompts'][number]): LostLine[] {
  const shown = visibleText(text.trim().slice(0, 300));
  return isNamed ? [] : [{ entry, title: shown, name: <bdi>{shown}</bdi>, note: aboutTokens(characters) }];
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
    note: isError ? 'error' : aboutTokens(characters),
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
