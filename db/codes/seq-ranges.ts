import type { SeqRange } from '../../core/protocol/messages';

/** Parses the Postgres text of an int8multirange, `{[1,5),[7,9)}`, into inclusive ranges. */
export function parseRanges(text: string): SeqRange[] {
  return [...text.matchAll(/\[(\d+),(\d+)\)/g)].map((match) => [Number(match[1]), Number(match[2]) - 1]);
}

/** Inclusive ranges as an int8multirange literal. */
export function formatRanges(ranges: readonly SeqRange[]): string {
  // The exclusive bound may be 2^53, which is not a safe integer.
  return `{${ranges.map(([first, last]) => `[${first},${BigInt(last) + 1n})`).join(',')}}`;
}
