'use client';
import { memo } from 'react';
import type { EntryKind } from '@/core/agents/entry';
import type { TranscriptEntry, TranscriptOutline } from '@/core/api/transcript-contents';
import { formatExact, formatTokenChange, formatTokens } from '../../../format/format-tokens';
import { visibleText } from '../../../format/visible-text';
import { CopyButton } from '../../../ui/copy-button';
import { MaskedText } from '../text/masked-text';
import { BlockPart } from './block-part';
import { EntryProvider } from './conversation-context';
import { LineLink } from './line-link';
import { MoreParts, useShownParts } from './more-parts';
import { type ConversationRow, kindOf } from './prepare-rows';
import type { CallSteps } from './prepare-steps';

const ROLES: Readonly<Record<EntryKind, string>> = {
  user: 'User',
  assistant: 'Assistant',
  thinking: 'Assistant',
  tool_call: 'Assistant',
  tool_result: 'Tool',
  system: 'System',
  summary: 'Summary',
  compaction: 'Compaction',
  record: 'Record',
  raw: 'Raw',
  text: 'Text',
  blank: 'Blank',
};

interface MessageRowProps {
  row: ConversationRow;
  outline: TranscriptOutline;
  steps: CallSteps;
  zone: string;
  get: (entry: number) => TranscriptEntry | undefined;
  readAll: (entry: number) => Promise<void>;
}

/** Role, time and content, with the context size after the message at the right. */
export const MessageRow = memo(function MessageRow(props: MessageRowProps) {
  const { row, outline, steps, zone, get, readAll } = props;
  const first = row.entries[0] ?? 0;
  const kind = kindOf(outline, first);
  const read = row.entries.map((entry) => get(entry));
  const meta = read[0]?.isMeta === true;
  const text = textOf(read);
  return (
    <>
      <div className="who">
        <span className="role">{meta && kind === 'user' ? 'Client' : ROLES[kind]}</span>
        <LineLink outline={outline} entry={first} zone={zone} />
      </div>
      <div className={`said ${kind === 'user' && !meta ? 'font-medium' : ''}`}>
        {row.entries.map((entry, index) => {
          const found = read[index];
          if (found === undefined) return <p key={entry} className="unread" aria-hidden="true" />;
          return (
            <EntryProvider key={entry} value={entry}>
              <EntryParts entry={found} get={get} readAll={readAll} />
            </EntryProvider>
          );
        })}
        {text === '' ? null : (
          <span className="tools">
            <CopyButton text={text} what="this message" />
          </span>
        )}
      </div>
      <Size row={row} outline={outline} steps={steps} />
    </>
  );
});

type EntryPartsProps = Pick<MessageRowProps, 'get' | 'readAll'> & { entry: TranscriptEntry };

/** The parts of an entry; the first ones of very many until all are requested. */
function EntryParts({ entry, get, readAll }: EntryPartsProps) {
  const blocks = entry.kind === 'tool_result' ? entry.blocks.filter(isAlone) : entry.blocks;
  const parts = useShownParts(`parts ${entry.entry}`, blocks);
  if (blocks.length === 0) return <EmptyPart entry={entry} />;
  return (
    <>
      {parts.shown.map((block, place) => (
        <BlockPart
          // biome-ignore lint/suspicious/noArrayIndexKey: parts have no id but their position
          key={place}
          block={block}
          entry={entry}
          get={get}
          readAll={readAll}
        />
      ))}
      <MoreParts {...parts} />
    </>
  );
}

/** A result shown at its call is not repeated. */
function isAlone(block: TranscriptEntry['blocks'][number]): boolean {
  return block.type !== 'tool_result' || block.call === null;
}

/** A message without known parts: its source, if loaded. */
function EmptyPart({ entry }: { entry: TranscriptEntry }) {
  if (entry.raw === null) return <p className="text-ink2">empty</p>;
  return (
    <div className="as-it-is font-mono">
      <MaskedText text={entry.raw.text} />
    </div>
  );
}

function Size({ row, outline, steps }: Pick<MessageRowProps, 'row' | 'outline' | 'steps'>) {
  const index = row.entries.map((entry) => outline.columns.call[entry]).find((call) => call != null);
  const call = index == null ? undefined : outline.calls[index];
  // The call's numbers are shown once, at its first row.
  if (call === undefined || index == null || !row.entries.includes(call.entry))
    return <div className="size" />;
  const before = steps.before(index);
  const exact = `context ${formatExact(call.contextTokens)} tokens after this call: input ${formatExact(call.input)}, cache reads ${formatExact(call.cacheRead)}, cache writes ${formatExact(call.cacheCreation)}, output ${formatExact(call.output)}${call.model === null ? '' : `; ${visibleText(call.model)}`}`;
  return (
    <div className="size num" title={exact}>
      <span className="sr-only">{exact}</span>
      <span aria-hidden="true">{formatTokens(call.contextTokens, { fine: true })}</span>
      <span aria-hidden="true" className="text-ink2">
        {before === null ? 'first' : formatTokenChange(call.contextTokens - before)}
      </span>
    </div>
  );
}

/** The text to copy, as shown: hidden characters stay visible. */
function textOf(entries: readonly (TranscriptEntry | undefined)[]): string {
  return entries
    .flatMap((entry) => entry?.blocks ?? [])
    .map((block) => (block.type === 'text' ? visibleText(block.text) : ''))
    .filter((text) => text !== '')
    .join('\n\n');
}
