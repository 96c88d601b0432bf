'use client';
import { memo } from 'react';
import type { TranscriptEntry, TranscriptOutline } from '@/core/api/transcript-contents';
import { hatchPath, tornEdgePath } from '../../../charts/torn-edge';
import { formatClockSeconds } from '../../../format/format-time';
import { formatCount, formatExact } from '../../../format/format-tokens';
import { visibleText } from '../../../format/visible-text';
import { MaskedText } from '../text/masked-text';
import { PlainText } from '../text/plain-text';
import { EntryProvider, useConversation } from './conversation-context';
import { FoldLine } from './fold-line';
import { LineLink, NumberLink } from './line-link';
import { LongText } from './long-text';
import { MessageRow } from './message-row';
import type { ConversationRow } from './prepare-rows';
import type { CallSteps } from './prepare-steps';

export interface RowViewProps {
  row: ConversationRow;
  outline: TranscriptOutline;
  steps: CallSteps;
  zone: string;
  get: (entry: number) => TranscriptEntry | undefined;
  readAll: (entry: number) => Promise<void>;
}

/** A row by its kind. It renders again only when its own entries change. */
export const RowView = memo(function RowView(props: RowViewProps) {
  switch (props.row.kind) {
    case 'message':
      return (
        <div className="message">
          <MessageRow {...props} />
        </div>
      );
    case 'boundary':
      return <BoundaryRow {...props} />;
    case 'records':
      return <FoldRow {...props} words={recordsWords(props)} />;
    case 'side':
      return <FoldRow {...props} words={sideWords(props)} />;
    case 'raw':
      return <RawRow {...props} />;
    case 'lines':
      return <LinesRow {...props} />;
  }
}, showsTheSame);

function showsTheSame(before: RowViewProps, now: RowViewProps): boolean {
  if (
    before.row !== now.row ||
    before.outline !== now.outline ||
    before.steps !== now.steps ||
    before.zone !== now.zone ||
    before.readAll !== now.readAll
  )
    return false;
  if (before.get === now.get) return true;
  const isSame = (entry: number) => before.get(entry) === now.get(entry);
  // A folded sub-agent shows none of its entries.
  if (now.row.kind === 'side') return true;
  return now.row.entries.every(
    (entry) =>
      isSame(entry) &&
      (now.get(entry)?.blocks ?? []).every(
        (block) => block.type !== 'tool_call' || block.result === null || isSame(block.result),
      ),
  );
}

const HATCH_PX = 190;

/** A compaction, drawn as torn paper like in the barogram. */
function BoundaryRow({ row, outline, zone }: RowViewProps) {
  const entry = row.entries[0] ?? 0;
  const found = outline.compactions.find((compaction) => compaction.entry === entry);
  const edge = (at: number) => (
    <svg className="torn" height="8" viewBox="0 0 2400 8" width="2400" aria-hidden="true">
      <path
        d={tornEdgePath({
          seed: `${outline.id} ${entry} ${at}`,
          from: 0,
          to: 2_400,
          at: 4,
          direction: 'horizontal',
        })}
        fill="none"
        stroke="var(--ink3)"
        strokeWidth="0.75"
      />
    </svg>
  );
  const hatch = (
    <svg width={HATCH_PX} height="18" className="max-sm:hidden" aria-hidden="true">
      <path
        d={hatchPath({ x: 0, y: 0, width: HATCH_PX, height: 18 })}
        fill="none"
        stroke="var(--ink)"
        strokeWidth="0.9"
      />
    </svg>
  );
  const after = firstCallAfter(outline, entry);
  return (
    <div className="boundary">
      {edge(0)}
      <div className="flex items-center justify-between gap-[16px]">
        {hatch}
        <h2 className="flex flex-wrap items-baseline gap-x-[10px]">
          <b>Compacted</b>
          {found?.preTokens == null ? null : (
            <span className="num">
              {formatExact(found.preTokens)} → {after === null ? '?' : formatExact(after)}
            </span>
          )}
          <span className="text-ink2">
            {found?.trigger ?? 'unknown trigger'}
            {found?.at == null ? '' : `, ${formatClockSeconds(found.at, zone)}`}
          </span>
          <LineLink outline={outline} entry={entry} zone={zone} />
        </h2>
        {hatch}
      </div>
      {edge(1)}
    </div>
  );
}

function firstCallAfter({ calls }: TranscriptOutline, entry: number): number | null {
  return calls.find((call) => call.chain === 0 && call.entry > entry)?.contextTokens ?? null;
}

function FoldRow({ row, words }: RowViewProps & { words: React.ReactNode }) {
  const { isOpen, toggle } = useConversation();
  const fold = `row ${row.entries[0] ?? 0}`;
  return (
    <div className="fold-row">
      <FoldLine isOpen={isOpen(fold)} toggle={() => toggle(fold)}>
        <span className="text-ink2">{words}</span>
      </FoldLine>
    </div>
  );
}

function recordsWords({ row, get }: RowViewProps): string {
  const names = new Set(row.entries.slice(0, 40).flatMap((entry) => get(entry)?.name ?? []));
  const shown = [...names].slice(0, 4).map((name) => visibleText(name.slice(0, 40)));
  const words = formatCount(row.entries.length, 'other line');
  return shown.length === 0 ? words : `${words}: ${shown.join(', ')}${names.size > 4 ? ', …' : ''}`;
}

function sideWords({ row, outline }: RowViewProps): React.ReactNode {
  const key = outline.chains[row.chain]?.key ?? '';
  return (
    <>
      sub-agent{' '}
      <span className="num">
        <PlainText text={key.slice(0, 40)} />
      </span>
      , {formatCount(row.entries.length, 'entry', 'entries')}
    </>
  );
}

/** A line of the file, unparsed. */
function RawRow({ row, outline, get, readAll }: RowViewProps) {
  const entry = row.entries[0] ?? 0;
  const found = get(entry);
  return (
    <div className="message">
      <div className="who">
        <NumberLink line={outline.columns.line[entry] ?? 0} />
      </div>
      <div className="said font-mono">
        {found === undefined ? (
          <p className="unread" aria-hidden="true" />
        ) : found.raw === null ? (
          <p className="text-ink2">no source</p>
        ) : (
          <EntryProvider value={entry}>
            <LongText
              text={found.raw.text}
              characters={found.raw.characters}
              as="text"
              entry={entry}
              readAll={readAll}
            />
          </EntryProvider>
        )}
      </div>
      <div className="size" />
    </div>
  );
}

/** Numbered lines of a text file. */
function LinesRow({ row, outline, get }: RowViewProps) {
  return (
    <div className="lines">
      {row.entries.map((entry) => {
        const found = get(entry);
        const text = found?.blocks.find((block) => block.type === 'text')?.text ?? found?.raw?.text ?? '';
        const line = outline.columns.line[entry] ?? 0;
        return (
          <div key={entry} className="line">
            <NumberLink line={line} />
            <span className="as-it-is">
              <EntryProvider value={entry}>
                <MaskedText text={text} />
              </EntryProvider>
            </span>
          </div>
        );
      })}
    </div>
  );
}
