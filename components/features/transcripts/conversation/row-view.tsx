'use client';
import Link from 'next/link';
import { memo } from 'react';
import type { EntryKind } from '@/core/agents/entry';
import type { TranscriptEntry, TranscriptOutline } from '@/core/api/transcript-contents';
import { hatchPath, tornEdgePath } from '../../../charts/torn-edge';
import { formatClockSeconds, formatInstant } from '../../../format/format-time';
import {
  formatCount,
  formatExact,
  formatSizes,
  formatTokenChange,
  formatTokens,
} from '../../../format/format-tokens';
import { visibleText } from '../../../format/visible-text';
import { Markdown } from '../text/markdown';
import { MaskedText } from '../text/masked-text';
import { EntryContext, useConversation } from './conversation-context';
import { Fold, LongText, Parts } from './message-parts';
import { type ConversationRow, kindOf } from './prepare-rows';
import type { RowSize } from './prepare-sizes';

interface RowProps {
  row: ConversationRow;
}

/** Columns of a message: role, text, size. On a phone the text is below the other two. */
const MESSAGE =
  'group/row grid grid-cols-[84px_minmax(0,1fr)_64px] gap-x-[16px] py-[9px] pl-[8px] max-[53.75rem]:grid-cols-[minmax(0,1fr)_auto] max-[53.75rem]:gap-y-[2px] max-[53.75rem]:pl-0 max-[53.75rem]:in-data-target:pl-[10px] min-[1800px]:grid-cols-[104px_minmax(0,1fr)_84px]';
const WHO = 'max-[53.75rem]:flex max-[53.75rem]:items-baseline max-[53.75rem]:gap-[8px]';
const SAID =
  'said relative min-w-0 [overflow-wrap:anywhere] max-[53.75rem]:col-span-full max-[53.75rem]:row-start-2 min-[1800px]:max-w-[1400px]';

export const RowView = memo(function RowView({ row }: RowProps) {
  switch (row.kind) {
    case 'message':
      return <MessageRow row={row} />;
    case 'boundary':
      return <BoundaryRow entry={row.first} />;
    case 'side':
      return <FoldRow row={row} />;
    case 'raw':
      return <RawRow entry={row.first} />;
    case 'lines':
      return <LinesRow row={row} />;
  }
});

const ROLES: Readonly<Partial<Record<EntryKind, string>>> = {
  user: 'User',
  tool_result: 'Tool',
  system: 'System',
  summary: 'Summary',
};

function MessageRow({ row }: RowProps) {
  const { outline, entryOf } = useConversation();
  const kind = kindOf(outline, row.first);
  const isMeta = kind === 'user' && entryOf(row.first)?.isMeta === true;
  return (
    <div className={MESSAGE}>
      <div className={WHO}>
        <span className="block font-medium">{isMeta ? 'Client' : (ROLES[kind] ?? 'Assistant')}</span>
        <LineLink asTime entry={row.first} className="text-small text-ink2" />
      </div>
      <div className={`${SAID} ${kind === 'user' && !isMeta ? 'font-medium' : ''}`}>
        {row.entries.map((entry) => (
          <EntryContext key={entry} value={entry}>
            <EntryParts entry={entryOf(entry)} />
          </EntryContext>
        ))}
      </div>
      <Size row={row} />
    </div>
  );
}

function EntryParts({ entry }: { entry: TranscriptEntry | undefined }) {
  if (entry === undefined) return UNREAD;
  // A result shown at its call is not repeated.
  const blocks = entry.blocks.filter(
    (block) => entry.kind !== 'tool_result' || block.type !== 'tool_result' || block.call === null,
  );
  if (blocks.length > 0) {
    const isMarkdown = entry.kind === 'assistant' || entry.kind === 'summary';
    return <Parts blocks={blocks} as={isMarkdown ? 'markdown' : 'text'} />;
  }
  if (entry.raw === null) return <p className="text-ink2">empty</p>;
  return (
    <div className="as-it-is font-mono">
      <MaskedText text={entry.raw.text} />
    </div>
  );
}

const UNREAD = <p className="late my-[6px] h-[8px] max-w-[320px] bg-sunken" aria-hidden="true" />;

/** Context size with a message, and the tokens that the message added; a link to that moment on the barogram. */
function Size({ row }: RowProps) {
  const { outline, sizes, session } = useConversation();
  const seconds = outline.columns.at[row.first] ?? null;
  // Times of entries are whole seconds, and the turn is within that second.
  const at = seconds === null ? '' : `?at=${new Date(Math.floor(seconds) * 1_000 + 999).toISOString()}`;
  const href = `/sessions/${session}${at}`;
  const size = row.entries.map((entry) => sizes.get(entry)).find((found) => found !== undefined);
  if (size === undefined) {
    return at === '' || outline.columns.chain[row.first] !== 0 ? null : (
      <Link
        href={href}
        prefetch={false}
        className="hidden self-start text-right text-[11px] leading-[17px] text-ink2 underline-offset-[3px] group-focus-within/row:block group-hover/row:block hover:underline"
      >
        Barogram
      </Link>
    );
  }
  const exact = sizeWords(size, outline.calls[size.call ?? -1]);
  return (
    <Link
      href={href}
      prefetch={false}
      className="num flex flex-col self-start text-right text-[11px] leading-[17px] underline-offset-[3px] hover:underline max-[53.75rem]:flex-row max-[53.75rem]:gap-[8px]"
      title={`${exact}: show on the barogram`}
    >
      <span className="sr-only">{exact}, show on the barogram</span>
      <span aria-hidden="true">{formatTokens(size.tokens, { fine: true })}</span>
      <span aria-hidden="true" className="text-ink2">
        {size.change === null ? 'first' : formatTokenChange(size.change)}
      </span>
    </Link>
  );
}

function sizeWords(size: RowSize, call: TranscriptOutline['calls'][number] | undefined): string {
  const next = `context ${formatExact(size.tokens)} tokens at the start of the next call`;
  if (call === undefined) return next;
  const counts = `${formatExact(call.contextTokens)} tokens after this call: input ${formatExact(call.input)}, cache reads ${formatExact(call.cacheRead)}, cache writes ${formatExact(call.cacheCreation)}, output ${formatExact(call.output)}${call.model === null ? '' : `; ${visibleText(call.model)}`}`;
  return size.isSent ? `${next}, ${counts}` : `context ${counts}`;
}

export function SummaryBeyond({ text }: { text: string }) {
  return (
    <section aria-label="Summary after this archive" className={MESSAGE}>
      <div className={WHO}>
        <h2 className="font-medium">Summary</h2>
        <span className="text-small text-ink2">after this archive</span>
      </div>
      <div className={SAID}>
        <Markdown text={text} />
      </div>
    </section>
  );
}

const TORN = { from: 0, to: 2_400, at: 4, direction: 'horizontal' } as const;

function BoundaryRow({ entry }: { entry: number }) {
  const { outline } = useConversation();
  const found = outline.compactions.find((compaction) => compaction.entry === entry);
  const after = outline.calls.find((call) => call.chain === 0 && call.entry > entry)?.contextTokens;
  const edge = (place: number) => (
    <svg className="block" height="8" width="2400" aria-hidden="true" fill="none" stroke="var(--ink3)">
      <path d={tornEdgePath({ seed: `${entry} ${place}`, ...TORN })} strokeWidth="0.75" />
    </svg>
  );
  const hatch = (
    <svg width="190" height="18" className="max-sm:hidden" aria-hidden="true" stroke="var(--ink)">
      <path d={hatchPath({ x: 0, y: 0, width: 190, height: 18 })} strokeWidth="0.9" />
    </svg>
  );
  return (
    <div className="relative overflow-hidden py-[4px]">
      {edge(0)}
      <div className="flex items-center justify-between gap-[16px]">
        {hatch}
        <h2 className="flex flex-wrap items-baseline gap-x-[10px]">
          <b>Compacted</b>
          {found?.preTokens == null ? null : (
            <span className="num">{formatSizes(found.preTokens, after ?? null, formatExact)}</span>
          )}
          <span className="text-ink2">{found?.trigger ?? 'unknown trigger'}</span>
          <LineLink asTime entry={entry} className="" />
        </h2>
        {hatch}
      </div>
      {edge(1)}
    </div>
  );
}

function FoldRow({ row }: RowProps) {
  const { outline } = useConversation();
  const count = row.entries.length;
  const chain = outline.chains[outline.columns.chain[row.first] ?? 0]?.key ?? '';
  const subAgent = (
    <>
      sub-agent <span className="num">{visibleText(chain.slice(0, 40))}</span>,{' '}
      {formatCount(count, 'entry', 'entries')}
    </>
  );
  return (
    <div className="py-[3px] pl-[8px] text-ink2 max-[53.75rem]:pl-0">
      <Fold name={row.key} head={subAgent} />
    </div>
  );
}

function RawRow({ entry }: { entry: number }) {
  const found = useConversation().entryOf(entry);
  return (
    <div className={MESSAGE}>
      <div className={WHO}>
        <LineLink entry={entry} className="text-small text-ink2" />
      </div>
      <div className={`${SAID} font-mono`}>
        <EntryContext value={entry}>
          {found?.raw ? <LongText {...found.raw} /> : found ? <p className="text-ink2">no source</p> : UNREAD}
        </EntryContext>
      </div>
    </div>
  );
}

function LinesRow({ row }: RowProps) {
  const { entryOf } = useConversation();
  return (
    <div className="py-[4px] font-mono">
      {row.entries.map((entry) => {
        const { blocks = [], raw } = entryOf(entry) ?? {};
        const block = blocks.find((part) => part.type === 'text');
        return (
          <div key={entry} className="grid min-h-[20px] grid-cols-[56px_minmax(0,1fr)] gap-x-[14px]">
            <LineLink entry={entry} className="text-right text-small text-ink2" />
            <span className="as-it-is">
              <EntryContext value={entry}>
                <MaskedText text={(block ?? raw)?.text ?? ''} />
              </EntryContext>
            </span>
          </div>
        );
      })}
    </div>
  );
}

interface LineLinkProps {
  entry: number;
  /** Shows the time, if known, instead of the line's number. */
  asTime?: boolean;
  className: string;
}

/** A link to a line. A plain click changes only the URL; the browser handles a click with a modifier key. */
function LineLink({ entry, asTime = false, className }: LineLinkProps) {
  const { outline, zone, nameLine } = useConversation();
  const line = outline.columns.line[entry] ?? 0;
  const seconds = outline.columns.at[entry] ?? null;
  const at = asTime && seconds !== null ? seconds * 1_000 : null;
  const place = `line ${formatExact(line + 1)}`;
  return (
    <a
      href={`?line=${line}`}
      className={`num underline-offset-[3px] hover:underline ${className}`}
      title={`${at === null ? '' : `${formatInstant(at, zone)}, `}${place}: link to this message`}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        nameLine(line);
      }}
    >
      {at !== null ? formatClockSeconds(at, zone) : asTime ? place : formatExact(line + 1)}
      <span className="sr-only">, link to {place}</span>
    </a>
  );
}
