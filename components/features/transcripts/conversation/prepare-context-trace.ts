/** Context sizes along the file. In the drawing x is tokens and y the position in the file. */
import type { TranscriptOutline } from '@/core/api/transcript-contents';
import { hatchPath, tornEdgePath } from '../../../charts/torn-edge';
import { px } from '../../../charts/trace-path';

const TIME_GAP_PX = 96;

export function prepareContextTrace(
  outline: TranscriptOutline,
  { width, height }: { width: number; height: number },
) {
  const main = outline.calls.filter(({ chain, contextTokens }) => chain === 0 && contextTokens > 0);
  const highest = main.reduce((most, { contextTokens }) => Math.max(most, contextTokens), 0);
  /** Size at which the last compaction of known size happened. */
  const torn = outline.compactions.findLast(({ preTokens }) => preTokens !== null)?.preTokens ?? null;
  /** Tokens at the right edge. */
  const most = Math.max(1, outline.window ?? 0, highest, torn ?? 0) * 1.06;
  const count = Math.max(1, outline.entries);
  const x = (tokens: number) => (tokens / most) * width;
  const y = (entry: number) => (entry / count) * height;
  let [path, gaps, edges, hatches] = ['', '', '', ''];
  let next = 0;
  for (const { entry, preTokens } of outline.compactions) {
    const begin = next;
    while ((main[next]?.entry ?? count) < entry) next += 1;
    path += contextPath(main.slice(begin, next), x, y, y(entry));
    const at = y(entry);
    gaps += `M-6 ${at - 4.5}h${width + 12}v9h${-width - 12}z`;
    for (const side of [-4.5, 4.5]) {
      const seed = `${entry} ${side < 0}`;
      edges += tornEdgePath({ from: -6, to: width + 6, direction: 'horizontal', at: at + side, seed });
    }
    const before = preTokens ?? main[next - 1]?.contextTokens ?? null;
    const after = main[next]?.contextTokens;
    if (before !== null && after !== undefined)
      hatches += hatchPath({ x: x(after), y: at - 4, width: x(before) - x(after), height: 8 });
  }
  path += contextPath(main.slice(next), x, y, height);
  /** `path`: steps of the main chain, one part per context. `highest`: 0 without calls. */
  return { path, gaps, edges, hatches, most, highest, torn, times: timesOf(outline, height, y), x, y };
}

/** At most two steps per pixel, each with the largest of its calls. */
function contextPath(
  calls: readonly { entry: number; contextTokens: number }[],
  x: (tokens: number) => number,
  y: (entry: number) => number,
  end: number,
): string {
  const steps = new Map<number, number>();
  for (const { entry, contextTokens } of calls) {
    const at = Math.round(y(entry) * 2) / 2;
    steps.set(at, Math.max(steps.get(at) ?? 0, contextTokens));
  }
  const parts = [...steps].map(([at, tokens], index) =>
    index === 0 ? `M${px(x(tokens))} ${px(at)}` : `V${px(at)}H${px(x(tokens))}`,
  );
  return parts.length === 0 ? '' : `${parts.join('')}V${px(end)}`;
}

/** Times in milliseconds, at least TIME_GAP_PX apart. */
function timesOf({ columns, entries }: TranscriptOutline, height: number, y: (entry: number) => number) {
  const step = Math.max(1, Math.ceil((TIME_GAP_PX / Math.max(1, height)) * entries));
  const times: { y: number; at: number }[] = [];
  for (let entry = 0; entry < entries && y(entry) <= height - 12; entry += step) {
    const seconds = columns.at.slice(entry, entry + step).find((time) => time !== null);
    if (seconds != null) times.push({ y: y(entry), at: seconds * 1_000 });
  }
  return times;
}
