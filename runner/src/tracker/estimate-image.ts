/**
 * Estimates the tokens of an image by the formula that its provider publishes: OpenAI for GPT-4o, Anthropic and Google.
 * The shape of the part shows the provider. Anthropic's formula also serves shapes that several providers share.
 */
import { asFields, type Fields, asNonEmptyText as textOf } from '../../../core/agents/fields';

interface Size {
  width: number;
  height: number;
}

/** Assumed for an image that is only linked. */
const UNKNOWN_SIZE: Size = { width: 1024, height: 1024 };

/** @returns the tokens; 0: the part is no image. */
export function estimateImage(part: Fields): number {
  const type = textOf(part.type);
  const file = fileOf(part);
  if (file !== null) return isImage(file) ? countGoogle(sizeOf(file.data)) : 0;
  if (type === 'image_url' || type === 'input_image') {
    const image = asFields(part.image_url);
    return (image?.detail ?? part.detail) === 'low' ? 85 : countOpenAI(sizeOf(image?.url ?? part.image_url));
  }
  if (type === 'file' && isImage(part)) return countAnthropic(sizeOf(part.data));
  return type === 'image' ? countAnthropic(sizeOf(asFields(part.source)?.data ?? part.image)) : 0;
}

/** Google's parts have no type. */
function fileOf(part: Fields): Fields | null {
  return asFields(part.inlineData ?? part.inline_data ?? part.fileData);
}

export const hasInlineFile = (part: Fields): boolean => fileOf(part) !== null;

function isImage(file: Fields): boolean {
  return textOf(file.mimeType ?? file.mime_type ?? file.mediaType)?.startsWith('image/') === true;
}

function shrink({ width, height }: Size, scale: number): Size {
  return scale < 1
    ? { width: Math.round(width * scale), height: Math.round(height * scale) }
    : { width, height };
}

/** Shrink into 2048 × 2048, then to a shorter side of 768. Count 85 tokens, and 170 for each tile of 512 × 512. */
function countOpenAI(size: Size): number {
  const large = shrink(size, 2048 / Math.max(size.width, size.height));
  const { width, height } = shrink(large, 768 / Math.min(large.width, large.height));
  return 85 + 170 * Math.ceil(width / 512) * Math.ceil(height / 512);
}

/** Shrink to a longer side of 1568. Count one token for each 750 pixels, at most 1 600. */
function countAnthropic(size: Size): number {
  const { width, height } = shrink(size, 1568 / Math.max(size.width, size.height));
  return Math.min(1600, Math.ceil((width * height) / 750));
}

/** Count 258 tokens for each tile: one tile up to 384 × 384, else square tiles of two thirds of the shorter side. */
function countGoogle({ width, height }: Size): number {
  if (Math.max(width, height) <= 384) return 258;
  const side = Math.max(1, Math.floor(Math.min(width, height) / 1.5));
  return 258 * Math.ceil(width / side) * Math.ceil(height / side);
}

/** Enough for the metadata that may precede the size in a JPEG file. */
const HEAD_BYTES = 256 * 1024;

function sizeOf(data: unknown): Size {
  const size = readSize(headOf(data));
  return size !== null && size.width > 0 && size.height > 0 ? size : UNKNOWN_SIZE;
}

function headOf(data: unknown): Buffer {
  if (data instanceof Uint8Array) return Buffer.from(data.subarray(0, HEAD_BYTES));
  const text = typeof data === 'string' ? data.slice(0, (HEAD_BYTES / 3) * 4) : '';
  return Buffer.from(/^https?:/.test(text) ? '' : text.replace(/^data:[^,]*,/, ''), 'base64');
}

/** The size in the head of a PNG, GIF, WebP or JPEG file. */
function readSize(head: Buffer): Size | null {
  if (head.length < 30) return null;
  const kind = head.toString('latin1', 0, 16);
  if (kind.startsWith('\x89PNG')) return { width: head.readUInt32BE(16), height: head.readUInt32BE(20) };
  if (kind.startsWith('GIF8')) return { width: head.readUInt16LE(6), height: head.readUInt16LE(8) };
  if (kind.endsWith('WEBPVP8X'))
    return { width: 1 + head.readUIntLE(24, 3), height: 1 + head.readUIntLE(27, 3) };
  if (kind.endsWith('WEBPVP8L')) {
    const bits = head.readUInt32LE(21);
    return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
  }
  if (kind.endsWith('WEBPVP8 '))
    return { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff };
  return kind.startsWith('\xff\xd8') ? readJpegSize(head) : null;
}

function readJpegSize(head: Buffer): Size | null {
  for (let at = 2; at + 9 <= head.length && head[at] === 0xff; at += 2 + head.readUInt16BE(at + 2)) {
    const marker = head[at + 1] ?? 0;
    // Frames have the markers C0 to CF, except C4, C8 and CC.
    if (marker === 0xc0 || (marker > 0xc0 && marker < 0xcf && marker % 4 !== 0))
      return { width: head.readUInt16BE(at + 7), height: head.readUInt16BE(at + 5) };
  }
  return null;
}
