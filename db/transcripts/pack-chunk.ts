/** The stored form of a chunk. */
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants } from 'node:zlib';
import { CHUNK_BYTES } from '../../core/api/transcripts';

const ENCODING = { plain: 0, brotli: 1 } as const;

export interface PackedChunk {
  encoding: number;
  data: Buffer;
}

/** The stored bytes are corrupt: no retry can unpack them. */
export class SpoiltBytesError extends Error {
  override readonly name = 'SpoiltBytesError';
  constructor(cause: unknown) {
    super('the stored bytes are not a packed chunk', { cause });
  }
}

const compress = promisify(brotliCompress);
const decompress = promisify(brotliDecompress);

/** The lowest quality with a window over the whole chunk: JSON lines shrink to a fourth or less. */
const QUALITY = 5;
const WINDOW_BITS = 20;

/** Compress in Node's thread pool; incompressible bytes are stored unchanged. */
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
 * The unpacked bytes. Callers must check their hash: a corrupt byte may unpack to other bytes without an error.
 *
 * @throws SpoiltBytesError when the bytes cannot be unpacked
 * @throws other errors, such as a failed allocation, which prove nothing about the bytes
 */
export async function unpackChunk({ encoding, data }: PackedChunk): Promise<Buffer> {
  if (encoding === ENCODING.plain) return data;
  try {
    return await decompress(data, { maxOutputLength: CHUNK_BYTES });
  } catch (error) {
    throw provesSpoilt(error) ? new SpoiltBytesError(error) : error;
  }
}

/**
 * Whether a decoder error is about its input. The decoder numbers its errors (`errno`), also for failed allocations;
 * too much output has a code of Node's own.
 */
export function provesSpoilt(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, errno } = error as { code?: unknown; errno?: unknown };
  if (code === 'ERR_BUFFER_TOO_LARGE') return true;
  return typeof errno === 'number' && typeof code === 'string' && !/ALLOC|MEM|UNREACHABLE|INIT/.test(code);
}
