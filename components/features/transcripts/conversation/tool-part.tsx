'use client';
import type { TranscriptBlock, TranscriptEntry } from '@/core/api/transcript-contents';
import { formatCount } from '../../../format/format-tokens';
import { visibleText } from '../../../format/visible-text';
import { MaskedText } from '../text/masked-text';
import { PlainText } from '../text/plain-text';
import { EntryProvider, useConversation } from './conversation-context';
import { FoldLine } from './fold-line';
import { ImagePart } from './image-part';
import { labelWords } from './label-words';
import { LongText } from './long-text';
import { MoreParts, RestPart, useShownParts } from './more-parts';

type ToolCall = Extract<TranscriptBlock, { type: 'tool_call' }>;
type ToolResult = Extract<TranscriptBlock, { type: 'tool_result' }>;

interface ToolPartProps {
  block: ToolCall;
  entry: number;
  /** The entry with its result; undefined: not loaded, or none. */
  result: TranscriptEntry | undefined;
  readAll: (entry: number) => Promise<void>;
}

const MOST_LABEL = 400;

/** A tool call with its result, folded to one line with its subject and outcome. */
export function ToolPart({ block, entry, result, readAll }: ToolPartProps) {
  const { isOpen, toggle } = useConversation();
  const fold = String(entry);
  const open = isOpen(fold);
  const answer = result?.blocks.find(
    (part): part is ToolResult =>
      part.type === 'tool_result' && (part.callId === block.callId || block.callId === null),
  );
  return (
    <div className="part">
      <FoldLine
        isOpen={open}
        toggle={() => toggle(fold)}
        note={block.result === null ? 'no result' : answer === undefined ? '' : resultWords(answer)}
      >
        <b>
          <PlainText text={block.name.slice(0, 80)} />
        </b>{' '}
        {block.label === null ? null : (
          <span className="font-mono" title={visibleText(block.label.slice(0, MOST_LABEL))}>
            <bdi>{visibleText(labelWords(block.label.slice(0, MOST_LABEL)))}</bdi>
          </span>
        )}
      </FoldLine>
      {open ? (
        <div className="opened">
          <LongText
            text={block.text}
            characters={block.characters}
            as={block.isJson ? 'json' : 'text'}
            entry={entry}
            readAll={readAll}
          />
          {answer === undefined || result === undefined ? (
            <p className="text-small text-ink2">
              {block.result === null ? 'No result in the transcript' : 'Loading the result'}
            </p>
          ) : (
            <ToolAnswer block={answer} entry={result.entry} readAll={readAll} />
          )}
        </div>
      ) : null}
    </div>
  );
}

interface ToolAnswerProps {
  block: ToolResult;
  entry: number;
  readAll: (entry: number) => Promise<void>;
}

/** The result of a tool call. */
export function ToolAnswer({ block, entry, readAll }: ToolAnswerProps) {
  const parts = useShownParts(`answer ${entry} ${block.callId}`, block.content);
  return (
    <EntryProvider value={entry}>
      <div className="answer">
        <p className="pb-[2px] text-small text-ink2">{block.isError ? 'error' : 'result'}</p>
        {block.content.length === 0 ? <p className="text-ink2">empty</p> : null}
        {parts.shown.map((part, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts have no id but their position
          <div key={index}>
            {part.type === 'rest' ? (
              <RestPart parts={part.parts} />
            ) : part.type === 'image' ? (
              <ImagePart block={part} entry={entry} readAll={readAll} />
            ) : part.type === 'text' ? (
              <LongText
                text={part.text}
                characters={part.characters}
                as="text"
                entry={entry}
                readAll={readAll}
              />
            ) : (
              <div className="as-it-is">
                <MaskedText text={part.text} />
              </div>
            )}
          </div>
        ))}
        <MoreParts {...parts} />
      </div>
    </EntryProvider>
  );
}

/** `20 lines`, `error: no such file`. */
function resultWords(answer: ToolResult): string {
  const text = answer.content.find((part) => part.type === 'text');
  const first = text === undefined ? '' : text.text;
  if (answer.isError) {
    const line = visibleText(first.trim().slice(0, 200)).split('\n')[0] ?? '';
    return line === '' ? 'error' : `error: ${line.slice(0, 90)}`;
  }
  const pictures = answer.content.filter((part) => part.type === 'image').length;
  if (text === undefined) return pictures > 0 ? formatCount(pictures, 'picture') : 'empty';
  if (text.characters > first.length) return formatCount(text.characters, 'character');
  return first.trim() === '' ? 'empty' : formatCount(first.replace(/\n+$/, '').split('\n').length, 'line');
}
