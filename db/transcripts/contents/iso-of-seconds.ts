export const isoOfSeconds = (at: number | null): string | null =>
  at === null ? null : new Date(Math.round(at * 1_000)).toISOString();
