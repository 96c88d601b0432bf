/** Bytes of a chunk before compression; the last one of a transcript is shorter. */
export const CHUNK_BYTES = 1024 * 1024;
