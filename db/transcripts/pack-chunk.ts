/** How a chunk lies at rest. */
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants } from 'node:zlib';
import { CHUNK_BYTES } from '../../core/api/transcripts';

export const ENCODING = { plain: 0, brotli: 1 } as const;

export interface PackedChunk {
  encoding: number;
  data: Buffer;
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

/** @throws when these are no bytes of `packChunk`. */
export async function unpackChunk({ encoding, data }: PackedChunk): Promise<Buffer> {
  if (encoding === ENCODING.plain) return data;
  return decompress(data, { maxOutputLength: CHUNK_BYTES });
}
