import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants } from 'node:zlib';
import { CHUNK_BYTES } from '../../core/api/transcripts';

const ENCODING = { plain: 0, brotli: 1 } as const;

export interface StoredChunk {
  sha256: string;
  encoding: number | null;
  data: Buffer | null;
}

const compress = promisify(brotliCompress);
const decompress = promisify(brotliDecompress);

/** The lowest quality of brotli that uses a window over the whole chunk. */
const QUALITY = 5;
const WINDOW_BITS = 20;

/** Compress in Node's thread pool; incompressible bytes are stored unchanged. */
export async function packChunk(bytes: Buffer): Promise<{ encoding: number; data: Buffer }> {
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

/** The decoder's errors about its input; others, such as a failed allocation, prove nothing about the bytes. */
const SPOILT = /^(ERR_BUFFER_TOO_LARGE|Z_BUF_ERROR|ERR_?_ERROR_FORMAT\w*|ERR_?_ERROR_\w*DICTIONARY)$/;

/**
 * The chunk's bytes; null: it is missing, or its bytes do not have its hash.
 * @throws errors that prove nothing about the bytes
 */
export async function openChunk({ sha256, encoding, data }: StoredChunk): Promise<Buffer | null> {
  if (encoding === null || data === null) return null;
  try {
    const chunk =
      encoding === ENCODING.plain ? data : await decompress(data, { maxOutputLength: CHUNK_BYTES });
    return createHash('sha256').update(chunk).digest('hex') === sha256 ? chunk : null;
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (typeof code === 'string' && SPOILT.test(code)) return null;
    throw error;
  }
}
