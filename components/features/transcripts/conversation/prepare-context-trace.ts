/** Context size along the file: x is tokens, y is the position in the file. */
import type { TranscriptOutline } from '@/core/api/transcript-contents';
import { px } from '../../../charts/trace-path';

export interface ContextTrace {
  /** Steps of the main chain, one part per context. */
  path: string;
  /** Tokens at the right edge. */
  most: number;
  /** The largest size of all calls; 0: no calls. */
  highest: number;
  compactions: { y: number; entry: number; before: number | null; after: number | null }[];
  /** Time labels. */
  times: { y: number; at: number }[];
  x: (tokens: number) => number;
  y: (entry: number) => number;
}

/** Minimum distance of time labels. */
const TIME_GAP_PX = 96;

export function prepareContextTrace(
  outline: TranscriptOutline,
  { width, height }: { width: number; height: number },
): ContextTrace {
  // An unknown call is an empty placeholder.
  const main = outline.calls.filter(({ chain, contextTokens }) => chain === 0 && contextTokens > 0);
  const highest = main.reduce((most, { contextTokens }) => Math.max(most, contextTokens), 0);
  const most = Math.max(1, outline.window ?? 0, highest) * 1.06;
  const count = Math.max(1, outline.entries);
  const x = (tokens: number) => (tokens / most) * width;
  const y = (entry: number) => (entry / count) * height;

  const compactions = outline.compactions.map(({ entry, preTokens }) => ({
    y: y(entry),
    entry,
    before: main[callsUpTo(main, entry - 1) - 1]?.contextTokens ?? preTokens,
    after: main[callsUpTo(main, entry)]?.contextTokens ?? null,
  }));
  return {
    path: stepsOf(main, compactions, x, y, count),
    most,
    highest,
    compactions,
    times: timesOf(outline, height, y),
    x,
    y,
  };
}

/** Number of calls up to an entry, inclusive; calls are in file order. */
function callsUpTo(calls: readonly { entry: number }[], entry: number): number {
  let low = 0;
  let high = calls.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((calls[middle]?.entry ?? 0) <= entry) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** At most one step per pixel, with the largest of its calls. */
function stepsOf(
  main: readonly { entry: number; contextTokens: number }[],
  compactions: readonly { entry: number }[],
  x: (tokens: number) => number,
  y: (entry: number) => number,
  count: number,
): string {
  const parts: string[] = [];
  let passed = 0;
  let row = Number.NaN;
  let largest = 0;
  let isOpen = false;
  const flush = () => {
    if (Number.isNaN(row)) return;
    parts.push(isOpen ? `V${px(row)}H${px(x(largest))}` : `M${px(x(largest))} ${px(row)}`);
    isOpen = true;
    row = Number.NaN;
  };
  for (const { entry, contextTokens } of main) {
    const isBoundary = (compactions[passed]?.entry ?? count) < entry;
    if (isBoundary) {
      flush();
      parts.push(`V${px(y(compactions[passed]?.entry ?? 0))}`);
      while ((compactions[passed]?.entry ?? count) < entry) passed += 1;
      isOpen = false;
    }
    const at = Math.round(y(entry) * 2) / 2;
    if (at !== row) {
      flush();
      row = at;
      largest = contextTokens;
    } else largest = Math.max(largest, contextTokens);
  }
  flush();
  if (parts.length > 0) parts.push(`V${px(y(count))}`);
  // A boundary before the first call closes nothing.
  return parts.join('').replace(/^V[\d.]+/, '');
}

function timesOf(
  { columns: { at }, entries }: TranscriptOutline,
  height: number,
  y: (entry: number) => number,
): ContextTrace['times'] {
  const step = Math.max(1, Math.ceil((TIME_GAP_PX / Math.max(1, height)) * entries));
  const times: ContextTrace['times'] = [];
  for (let entry = 0; entry < entries; entry += step) {
    if (y(entry) > height - 12) break;
    const seconds = at.slice(entry, entry + step).find((time) => time !== null);
    if (seconds != null) times.push({ y: y(entry), at: seconds * 1_000 });
  }
  return times;
}
