/** Entries of the API: texts cut to what a screen needs, images within a budget. */

import type { Block, ImageBlock, OtherBlock, RestBlock, TextBlock } from '../../../core/agents/entry';
import type { TranscriptBlock } from '../../../core/api/transcript-contents';
import { SHORT_TEXT } from '../../../core/transcript/limits';
import type { PairColumn } from '../../../core/transcript/pairs';

export interface Shaper {
  text(text: string): { text: string; characters: number };
  block(block: Block, pair: number | null): TranscriptBlock;
}

/** Characters of images per answer, and per image. */
const IMAGE_BUDGET = 4_000_000;
const LARGE_IMAGE = 1_500_000;
/** Characters of texts per answer; beyond it only beginnings are included. */
const TEXT_BUDGET = 6_000_000;
const BEGINNING = 200;
/** Limits of a full text and image: what a browser can still show. */
const FULL_TEXT = 8_000_000;
const FULL_IMAGE = 24_000_000;

type Part = Extract<TranscriptBlock, { type: 'tool_result' }>['content'][number];

/** For one answer; it tracks the remaining budget. */
export function createShaper(isFull: boolean): Shaper {
  let imageBudget = IMAGE_BUDGET;

  let textBudget = TEXT_BUDGET;

  const text = (whole: string) => {
    const most = isFull ? FULL_TEXT : textBudget > 0 ? SHORT_TEXT : BEGINNING;
    const shown = cutText(whole, most);
    textBudget -= shown.length;
    return { text: shown, characters: whole.length };
  };

  const image = ({ mediaType, data }: ImageBlock): Extract<TranscriptBlock, { type: 'image' }> => {
    const isShown =
      mediaType !== null &&
      (isFull ? data.length <= FULL_IMAGE : data.length <= LARGE_IMAGE && data.length <= imageBudget);
    if (isShown) imageBudget -= data.length;
    return { type: 'image', mediaType, data: isShown ? data : null, characters: data.length };
  };

  const part = (block: TextBlock | ImageBlock | OtherBlock | RestBlock): Part => {
    if (block.type === 'rest') return { type: 'rest', parts: block.parts };
    if (block.type === 'image') return image(block);
    if (block.type === 'text') return { type: 'text', ...text(block.text) };
    return { type: 'other', name: block.name.slice(0, 200), ...text(block.text) };
  };

  return {
    text,
    block(block, pair) {
      switch (block.type) {
        case 'thinking':
          return { type: 'thinking', ...text(block.text) };
        case 'tool_call': {
          const { callId, name, label, isJson } = block;
          return {
            type: 'tool_call',
            callId,
            name: name.slice(0, 200),
            label,
            ...text(block.text),
            isJson,
            result: pair,
          };
        }
        case 'tool_result':
          return {
            type: 'tool_result',
            callId: block.callId,
            isError: block.isError,
            call: pair,
            content: block.content.map(part),
          };
        default:
          return part(block);
      }
    },
  };
}

function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  return text.slice(0, text.charCodeAt(max) >> 10 === 0x37 ? max - 1 : max);
}

/** The paired entry of each block. */
export function pairsOf(blocks: readonly Block[], pair: PairColumn[number] | undefined): (number | null)[] {
  let part = 0;
  return blocks.map(({ type }) => {
    if (type !== 'tool_call' && type !== 'tool_result') return null;
    const place = part;
    part += 1;
    if (Array.isArray(pair)) return pair[place] ?? null;
    return place === 0 ? (pair ?? null) : null;
  });
}
