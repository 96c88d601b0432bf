/** Sizes and marks that the server, the runner and the pages share. */

/** Bytes of a chunk before compression. The last chunk of a transcript may be shorter. */
export const CHUNK_BYTES = 1024 * 1024;

/** Characters of a compaction's summary that are kept. */
export const MAX_SUMMARY = 200_000;

/** Characters of a text in an answer, unless the full text is requested. */
export const SHORT_TEXT = 20_000;

/** The mark that replaces a secret, with its number and its kind. */
export const SECRET_MARK = /\[secret (\d{1,9}): ([\w .,'-]{1,60})\]/g;
