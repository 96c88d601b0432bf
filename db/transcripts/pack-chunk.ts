/** How a chunk lies at rest. */
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants, createBrotliDecompress } from 'node:zlib';
import { CHUNK_BYTES } from '../../core/api/transcripts';

export const ENCODING = { plain: 0, brotli: 1 } as const;

export interface PackedChunk {
  encoding: number;
  data: Buffer;
}

/** The bytes at rest cannot be what `packChunk` made, however often they are tried. */
export class SpoiltBytesError extends Error {
  override readonly name = 'SpoiltBytesError';
  constructor(cause: unknown) {
    super('the bytes at rest are no packed chunk', { cause });
  }
}

const compress = promisify(brotliCompress);
const decompress = promisify(brotliDecompress);

/** The least effort at which brotli keeps a window over the whole chunk: JSON lines shrink to a fourth and less. */
const QUALITY = 5;
const WINDOW_BITS = 20;

/** In a thread of Node's pool. What does not get smaller stays as it is. */
export async function packChunk(bytes: Buffer): Promise<PackedChunk> {
  const data = await compress(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: QUALITY,
      [constants.BROTLI_PARAM_LGWIN]: WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  });
  return data.length < bytes.length
    ? { encoding: ENCODING.brotli, data }
    : { encoding: ENCODING.plain, data: bytes };
}

/**
 * What is packed, which need not be what it was: a spoilt byte may also give other bytes without any error, or the
 * same ones. Only their hash says.
 *
 * @throws SpoiltBytesError where they never unpack
 * @throws whatever else kept this process from it, as a want of memory: that tells nothing about the bytes
 */
export async function unpackChunk({ encoding, data }: PackedChunk): Promise<Buffer> {
  if (encoding === ENCODING.plain) return data;
  try {
    return await decompress(data, { maxOutputLength: CHUNK_BYTES });
  } catch (error) {
    throw provesSpoilt(error) ? new SpoiltBytesError(error) : error;
  }
}

/** As `unpackChunk`, of spoilt bytes what comes before their fault: the beginnings of it may be whole. */
export async function salvageChunk(packed: PackedChunk): Promise<Buffer> {
  if (packed.encoding === ENCODING.plain) return packed.data;
  const stream = createBrotliDecompress();
  stream.end(packed.data);
  const parts: Buffer[] = [];
  let length = 0;
  try {
    for await (const part of stream as AsyncIterable<Buffer>) {
      parts.push(part);
      length += part.length;
      if (length >= CHUNK_BYTES) break;
    }
  } catch (error) {
    if (!provesSpoilt(error)) throw error;
  }
  return Buffer.concat(parts).subarray(0, CHUNK_BYTES);
}

/**
 * Whether an error of the decoder is about its input. It numbers its verdicts (`errno`), and gives one also where it
 * got no memory; more output than a chunk holds has a code of Node's own.
 */
export function provesSpoilt(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, errno } = error as { code?: unknown; errno?: unknown };
  if (code === 'ERR_BUFFER_TOO_LARGE') return true;
  return typeof errno === 'number' && typeof code === 'string' && !/ALLOC|MEM|UNREACHABLE|INIT/.test(code);
}
