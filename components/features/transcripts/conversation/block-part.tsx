'use client';
import type { TranscriptBlock, TranscriptEntry } from '@/core/api/transcript-contents';
import { formatCount } from '../../../format/format-tokens';
import { MaskedText } from '../text/masked-text';
import { PlainText } from '../text/plain-text';
import { useConversation } from './conversation-context';
import { FoldLine } from './fold-line';
import { ImagePart } from './image-part';
import { LongText } from './long-text';
import { RestPart } from './more-parts';
import { ToolAnswer, ToolPart } from './tool-part';

interface BlockPartProps {
  block: TranscriptBlock;
  entry: TranscriptEntry;
  get: (entry: number) => TranscriptEntry | undefined;
  readAll: (entry: number) => Promise<void>;
}

/** A part of a message, by its type. */
export function BlockPart({ block, entry, get, readAll }: BlockPartProps) {
  const { isOpen, toggle } = useConversation();
  const fold = String(entry.entry);
  const open = isOpen(fold);
  switch (block.type) {
    case 'text':
      return (
        <div className="part">
          <LongText
            text={block.text}
            characters={block.characters}
            as={entry.kind === 'assistant' || entry.kind === 'summary' ? 'markdown' : 'text'}
            entry={entry.entry}
            readAll={readAll}
          />
        </div>
      );
    case 'thinking':
      if (block.characters === 0) return <p className="part text-ink2">thinking, encrypted by the client</p>;
      return (
        <div className="part">
          <FoldLine isOpen={open} toggle={() => toggle(fold)}>
            <span className="text-ink2">thinking, {wordsOf(block)}</span>
          </FoldLine>
          {open ? (
            <div className="opened text-ink2">
              <LongText
                text={block.text}
                characters={block.characters}
                as="text"
                entry={entry.entry}
                readAll={readAll}
              />
            </div>
          ) : null}
        </div>
      );
    case 'tool_call':
      return (
        <ToolPart
          block={block}
          entry={entry.entry}
          result={block.result === null ? undefined : get(block.result)}
          readAll={readAll}
        />
      );
    case 'tool_result':
      return <ToolAnswer block={block} entry={entry.entry} readAll={readAll} />;
    case 'image':
      return <ImagePart block={block} entry={entry.entry} readAll={readAll} />;
    case 'rest':
      return <RestPart parts={block.parts} />;
    case 'other':
      return (
        <div className="part">
          <FoldLine isOpen={open} toggle={() => toggle(fold)}>
            <span className="text-ink2">
              <PlainText text={block.name.slice(0, 80)} />
            </span>
          </FoldLine>
          {open ? (
            <div className="opened as-it-is font-mono">
              <MaskedText text={block.text} />
            </div>
          ) : null}
        </div>
      );
  }
}

function wordsOf({ text, characters }: { text: string; characters: number }): string {
  if (characters > text.length) return formatCount(characters, 'character');
  return formatCount(text.trim() === '' ? 0 : text.trim().split(/\s+/).length, 'word');
}
