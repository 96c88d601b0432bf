/** Entries of the API, made from their bytes and outline. Secrets are masked, and long texts are cut. */
import type { TranscriptFormat } from '../../../core/agents/clients';
import {
  type Block,
  type CallCounts,
  ENTRY_KINDS,
  type ImageBlock,
  type OtherBlock,
  type RestBlock,
  type TextBlock,
} from '../../../core/agents/entry';
import type { TranscriptBlock, TranscriptEntry } from '../../../core/api/transcript-contents';
import { maskEntry, type PlacedSecret } from '../../../core/transcript/contents-reading';
import { SHORT_TEXT } from '../../../core/transcript/limits';
import type { PairColumn } from '../../../core/transcript/pairs';
import { decodeBytes, readEntry } from '../../../core/transcript/read-entry';
import { MAX_LINE_BYTES } from '../../../core/transcript/split-entries';
import { isoOfSeconds, joinPages, PAGE_ENTRIES } from './outline-pages';

/** Source bytes per answer; a single entry may exceed it. */
const WINDOW_BYTES = 4 * 1024 * 1024;

export type SecretRow = PlacedSecret;

interface Place {
  from: number;
  to: number;
}

export interface PlacesAsked {
  pages: readonly Uint8Array[];
  from: number;
  to: number;
}

/** Byte ranges of as many entries as fit into an answer, at least one. */
export function findPlaces({ pages, from, to }: PlacesAsked): Place[] {
  const { columns, end } = joinPages(pages);
  const first = firstOf(from);
  const places: Place[] = [];
  const start = columns.from[from - first] ?? 0;
  for (let i = from - first; i < to - first; i += 1) {
    const place = { from: columns.from[i] ?? end, to: columns.from[i + 1] ?? end };
    if (places.length > 0 && place.to - start > WINDOW_BYTES) break;
    places.push(place);
  }
  return places;
}

/** An entry too long to load, shown without content. */
export function isTooLong({ from, to }: Place): boolean {
  return to - from > MAX_LINE_BYTES;
}

export interface MessagesAsked extends PlacesAsked {
  format: TranscriptFormat;
  chains: readonly string[];
  places: readonly Place[];
  bytes: Uint8Array;
  secrets: readonly SecretRow[];
  raw: boolean;
  full: boolean;
}

export function shapeMessages(asked: MessagesAsked): TranscriptEntry[] {
  const { places, from, format } = asked;
  const { columns, calls: named } = joinPages(asked.pages);
  const start = places[0]?.from ?? 0;
  const calls = new Map(named);
  const shaper = createShaper(asked.full);
  return places.map((place, n) => {
    const entry = from + n;
    const i = entry - firstOf(from);
    const secrets = asked.secrets.filter((secret) => secret.entry === entry);
    const source = asked.bytes.subarray(place.from - start, place.to - start);
    const line = source.at(-1) === 0x0a ? source.subarray(0, -1) : source;
    const bytes = isTooLong(place) ? null : maskEntry(line, place.from, secrets, format);
    const read = readEntry(bytes, format);
    const pairs = pairsOf(read.blocks, columns.pair[i]);
    const call = calls.get(columns.call[i] ?? -1);
    const hasRaw = asked.raw || read.kind === 'raw' || read.kind === 'record';
    return {
      entry,
      line: columns.line[i] ?? 0,
      // The outline decides the kind, even if this parse finds another.
      kind: ENTRY_KINDS[columns.kind[i] ?? 0] ?? read.kind,
      name: read.name,
      at: isoOfSeconds(columns.at[i] ?? null),
      chain: asked.chains[columns.chain[i] ?? 0] ?? 'main',
      ...place,
      isMeta: read.isMeta,
      usage: call ? usageOf(call) : null,
      model: call?.model ?? null,
      contextTokens: calls.get(columns.standing[i] ?? -1)?.contextTokens ?? null,
      blocks: read.blocks.map((block, index) => shaper.block(block, pairs[index] ?? null)),
      raw: hasRaw && bytes !== null ? shaper.text(decodeBytes(bytes)) : null,
      secrets: secrets.map(({ from: _from, to: _to, ...secret }) => secret),
    };
  });
}

function usageOf({ input, output, cacheRead, cacheCreation }: CallCounts): TranscriptEntry['usage'] {
  return { input, output, cacheRead, cacheCreation };
}

const firstOf = (entry: number): number => Math.floor(entry / PAGE_ENTRIES) * PAGE_ENTRIES;

/** Maximum characters of all images in an answer, and of one image unless the image is requested in full. */
const IMAGE_BUDGET = 4_000_000;
const LARGE_IMAGE = 1_500_000;
/** Maximum characters of all texts in an answer. Each further text is cut to `BEGINNING` characters. */
const TEXT_BUDGET = 6_000_000;
const BEGINNING = 200;
/** Limits of a full text and a full image, so that a browser can still show them. */
const FULL_TEXT = 8_000_000;
const FULL_IMAGE = 24_000_000;

type Part = Extract<TranscriptBlock, { type: 'tool_result' }>['content'][number];

function createShaper(isFull: boolean) {
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
    block(block: Block, pair: number | null): TranscriptBlock {
      switch (block.type) {
        case 'thinking':
          return { type: 'thinking', ...text(block.text) };
        case 'tool_call': {
          const { type, callId, name, label, isJson } = block;
          return { type, callId, name: name.slice(0, 200), label, ...text(block.text), isJson, result: pair };
        }
        case 'tool_result': {
          const { type, callId, isError, content } = block;
          return { type, callId, isError, call: pair, content: content.map(part) };
        }
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

function pairsOf(blocks: readonly Block[], pair: PairColumn[number] | undefined): (number | null)[] {
  let part = 0;
  return blocks.map(({ type }) => {
    if (type !== 'tool_call' && type !== 'tool_result') return null;
    const place = part;
    part += 1;
    if (Array.isArray(pair)) return pair[place] ?? null;
    return place === 0 ? (pair ?? null) : null;
  });
}
