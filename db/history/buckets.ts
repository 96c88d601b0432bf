/** Buckets of history: 15 minutes of UTC, numbered from the epoch. Every zone in use has its midnights on one. */
export const BUCKET_MS = 900_000;

export const LARGEST_SUM = Number.MAX_SAFE_INTEGER;
export const LARGEST_COUNT = 2_147_483_647;
