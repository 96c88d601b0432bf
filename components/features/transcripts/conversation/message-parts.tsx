'use client';
/** Parts of a message by their type: texts of any length, tool calls with their results, images. */
import { useMutation } from '@tanstack/react-query';
import { use, useLayoutEffect, useRef } from 'react';
import type { TranscriptBlock } from '@/core/api/transcript-contents';
import { formatBytes } from '../../../format/format-bytes';
import { formatCount } from '../../../format/format-tokens';
import { visibleText } from '../../../format/visible-text';
import { CodeBlock } from '../text/code-block';
import { DataImage } from '../text/data-image';
import { Markdown } from '../text/markdown';
import { MaskedText } from '../text/masked-text';
import { EntryContext, useConversation } from './conversation-context';

interface FoldProps {
  name: string;
  head: React.ReactNode;
  /** Text at the right end of the line. */
  note?: string;
  children?: React.ReactNode;
}

export function Fold({ name, head, note = '', children }: FoldProps) {
  const { isOpen, toggle } = useConversation();
  const open = isOpen(name);
  return (
    <>
      <button
        type="button"
        className="group flex min-h-[24px] w-full items-baseline text-left font-normal"
        aria-expanded={open}
        onClick={() => toggle(name)}
      >
        <svg
          width="7"
          height="8"
          viewBox="0 0 7 8"
          className="mr-[8px] shrink-0 text-ink2"
          aria-hidden="true"
        >
          <path d={open ? 'M0 1.5h7L3.5 7z' : 'M1 .5 6.5 4 1 7.5z'} fill="currentColor" />
        </svg>
        <span className="flex-1 truncate decoration-hair2 underline-offset-[3px] group-hover:underline">
          {head}
        </span>
        <span className="max-w-[45%] shrink-0 truncate pl-[12px] text-[11px] text-ink2">{note}</span>
      </button>
      {open && children !== undefined ? (
        <div className="mt-[2px] mb-[8px] ml-[3px] border-l border-hair2 pl-[12px] font-normal">
          {children}
        </div>
      ) : null}
    </>
  );
}

export function Parts({ blocks, as }: { blocks: readonly TranscriptBlock[]; as: TextLook }) {
  return blocks.map((block, place) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts have no id but their position
    <div key={place} className="part [.part+&]:mt-[4px]">
      <Block block={block} as={as} />
    </div>
  ));
}

function Block({ block, as }: { block: TranscriptBlock; as: TextLook }) {
  const fold = String(use(EntryContext));
  switch (block.type) {
    case 'text':
      return <LongText {...block} as={as} />;
    case 'tool_call':
      return <ToolCall block={block} fold={fold} />;
    case 'tool_result':
      return <ToolResult block={block} />;
    case 'image':
      return <Image block={block} />;
    case 'rest':
      return (
        <p className="text-ink2">
          {formatCount(block.parts, 'more part')} only in the raw view and the download
        </p>
      );
    case 'thinking':
    case 'other':
      if (block.type === 'thinking' && block.characters === 0)
        return <p className="text-ink2">thinking, encrypted by the client</p>;
      return (
        <div className="text-ink2">
          <Fold
            name={fold}
            head={block.type === 'other' ? visibleText(block.name.slice(0, 80)) : lengthOf(block)}
          >
            <LongText {...block} />
          </Fold>
        </div>
      );
  }
}

/** `thinking, 9 words`; the number of characters if the text is not fully loaded. */
function lengthOf({ text, characters }: { text: string; characters: number }): string {
  const words = formatCount(text.split(/\s+/).filter(Boolean).length, 'word');
  return `thinking, ${characters > text.length ? formatCount(characters, 'character') : words}`;
}

type Call = Extract<TranscriptBlock, { type: 'tool_call' }>;
type Result = Extract<TranscriptBlock, { type: 'tool_result' }>;

/** A tool call with its result, folded to one line with its subject and outcome. */
function ToolCall({ block, fold }: { block: Call; fold: string }) {
  const { entryOf } = useConversation();
  const entry = block.result === null ? undefined : entryOf(block.result);
  const result = entry?.blocks.find(
    (part): part is Result =>
      part.type === 'tool_result' && (part.callId === block.callId || block.callId === null),
  );
  const label = block.label?.slice(0, 400) ?? '';
  const head = (
    <>
      <b>{visibleText(block.name.slice(0, 80))}</b>{' '}
      <bdi className="font-mono" title={visibleText(label)}>
        {visibleText(labelWords(label))}
      </bdi>
    </>
  );
  const note = block.result === null ? 'no result' : result === undefined ? '' : resultWords(result);
  return (
    <Fold name={fold} head={head} note={note}>
      <LongText {...block} as={block.isJson ? 'json' : 'text'} />
      {result === undefined ? (
        <p className="text-small text-ink2">
          {block.result === null ? 'No result in the transcript' : 'Loading the result'}
        </p>
      ) : (
        <EntryContext value={block.result ?? -1}>
          <ToolResult block={result} />
        </EntryContext>
      )}
    </Fold>
  );
}

/** The subject of a tool call, shortened to one line; a long path keeps its end. */
export function labelWords(label: string): string {
  const parts = label.split(/[\\/]/).filter((part) => part !== '');
  const isLongPath = /^(\/|[A-Za-z]:\\|~\/)\S+$/.test(label) && parts.length > 4;
  return isLongPath ? `…/${parts.slice(-3).join('/')}` : label;
}

function ToolResult({ block }: { block: Result }) {
  return (
    <div className="pt-[6px]">
      <p className="pb-[2px] text-small text-ink2">{block.isError ? 'error' : 'result'}</p>
      {block.content.length === 0 ? <p className="text-ink2">empty</p> : null}
      <Parts blocks={block.content} as="output" />
    </div>
  );
}

/** `20 lines`, `error: no such file`. */
function resultWords({ content, isError }: Result): string {
  const { text = '', characters = 0 } = content.find((part) => part.type === 'text') ?? {};
  const [line = ''] = visibleText(text.trim().slice(0, 200)).split('\n');
  if (isError) return line === '' ? 'error' : `error: ${line.slice(0, 90)}`;
  if (characters > text.length) return formatCount(characters, 'character');
  if (text.trim() !== '') return formatCount(text.replace(/\n+$/, '').split('\n').length, 'line');
  const pictures = content.filter((part) => part.type === 'image').length;
  return pictures > 0 ? formatCount(pictures, 'picture') : 'empty';
}

function Image({ block }: { block: Extract<TranscriptBlock, { type: 'image' }> }) {
  const { data, mediaType, characters } = block;
  if (mediaType === null || characters === 0) return <p className="text-ink2">[image, not shown]</p>;
  if (data !== null) return <DataImage address={`data:${mediaType};base64,${data}`} alt="" />;
  return <LoadWhole>image, {formatBytes(Math.floor((characters * 3) / 4))}</LoadWhole>;
}

type TextLook = 'markdown' | 'text' | 'output' | 'json';

interface LongTextProps {
  /** May be only the start of the text. */
  text: string;
  characters: number;
  as?: TextLook;
}

/** Longer texts are clipped at first. */
const CLIPPED_LINES = 14;
const CLIPPED_CHARACTERS = 1_500;
/** A longer text would freeze the page; the download has everything. */
const MOST_CHARACTERS = 200_000;

const CLIPPED_PX = 280;
/** Maximum height of a line; a taller box is a paragraph or a table. */
const LINE_PX = 40;

/** Crops its content between two lines. */
function Clipped({ isOn, children }: { isOn: boolean; children: React.ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null || !isOn) return;
    const clip = () => {
      const range = document.createRange();
      range.selectNodeContents(element);
      const { top } = element.getBoundingClientRect();
      const cut = [...range.getClientRects()]
        .filter(({ height }) => height <= LINE_PX)
        .filter((line) => line.top - top < CLIPPED_PX && line.bottom - top > CLIPPED_PX)
        .reduce((least, line) => Math.min(least, line.top - top), CLIPPED_PX);
      element.style.maxHeight = `${cut}px`;
    };
    clip();
    const observer = new ResizeObserver(clip);
    observer.observe(element);
    return () => {
      observer.disconnect();
      element.style.maxHeight = '';
    };
  }, [isOn]);
  return (
    <div ref={box} className={isOn ? 'max-h-[280px] overflow-hidden' : undefined}>
      {children}
    </div>
  );
}

/** A text of any length: clipped, expanded, or loaded in full on demand. */
export function LongText({ text, characters, as = 'text' }: LongTextProps) {
  const { isOpen, toggle } = useConversation();
  const fold = `all ${use(EntryContext)}`;
  const lines = text.split('\n', 100_000).length;
  const isLong = lines > CLIPPED_LINES || text.length > CLIPPED_CHARACTERS;
  const open = isOpen(fold) || !isLong;
  const clipped = text.slice(0, CLIPPED_CHARACTERS * 2).split('\n', CLIPPED_LINES + 4);
  const shown = open ? text.slice(0, MOST_CHARACTERS) : clipped.join('\n');
  return (
    <>
      <Clipped isOn={!open}>
        {as === 'markdown' ? (
          <Markdown text={shown} />
        ) : as === 'json' ? (
          <CodeBlock text={shown} info="json" />
        ) : (
          <div className={`as-it-is ${as === 'output' ? 'font-mono text-small' : ''}`}>
            <MaskedText text={shown} />
          </div>
        )}
      </Clipped>
      {isLong ? (
        <More expanded={open} press={() => toggle(fold)}>
          {open ? 'Fold' : `Show ${lines > CLIPPED_LINES ? `all ${formatCount(lines, 'line')}` : 'all'}`}
        </More>
      ) : null}
      {open && characters > text.length ? (
        <LoadWhole>{formatCount(characters - text.length, 'more character')}</LoadWhole>
      ) : null}
      {open && text.length > MOST_CHARACTERS ? (
        <p className="text-small text-ink2">
          First {formatCount(MOST_CHARACTERS, 'character')}. The download has all.
        </p>
      ) : null}
    </>
  );
}

function LoadWhole({ children }: { children: React.ReactNode }) {
  const { readWhole } = useConversation();
  const { mutate, isPending, isError } = useMutation({ mutationFn: readWhole });
  const entry = use(EntryContext);
  return (
    <More disabled={isPending} press={() => mutate(entry)}>
      {isPending ? 'Loading' : isError ? 'Loading failed. Retry:' : 'Load'} {children}
    </More>
  );
}

interface MoreProps {
  press: () => void;
  expanded?: boolean;
  disabled?: boolean;
  children: React.ReactNode;
}

function More({ press, expanded, ...rest }: MoreProps) {
  return (
    <button
      type="button"
      className="link mt-[2px] block text-[11px] leading-[20px] text-ink2 hover:text-ink"
      aria-expanded={expanded}
      onClick={press}
      {...rest}
    />
  );
}
