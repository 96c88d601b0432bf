/** Characters of a compaction's summary that are kept: what is beyond them is left out. */
export const MAX_SUMMARY = 200_000;
