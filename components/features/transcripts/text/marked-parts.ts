export interface MarkedPart {
  text: string;
  /** Offset in the text. */
  from: number;
  isMarked: boolean;
}

/** Split a text at its marks; overlapping marks and marks beyond the text are clipped. */
export function markedParts(text: string, marks: readonly (readonly [number, number])[]): MarkedPart[] {
  const parts: MarkedPart[] = [];
  let at = 0;
  for (const [begin, end] of [...marks].sort((a, b) => a[0] - b[0])) {
    const from = Math.max(at, begin);
    const to = Math.min(text.length, end);
    if (to <= from) continue;
    if (from > at) parts.push({ text: text.slice(at, from), from: at, isMarked: false });
    parts.push({ text: text.slice(from, to), from, isMarked: true });
    at = to;
  }
  if (at < text.length) parts.push({ text: text.slice(at), from: at, isMarked: false });
  return parts;
}
