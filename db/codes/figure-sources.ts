/** The source of each figure of a call, packed into one integer. A better source replaces single figures. */

/** `place`: chain and scope. */
const FIGURES = [
  'input',
  'output',
  'cacheRead',
  'cacheCreation',
  'reading',
  'model',
  'limit',
  'place',
] as const;

/** Code of the best source that reported each figure, and a set of bits of all sources that reported the call. */
export type FigureSources = Record<(typeof FIGURES)[number], number> & { reporters: number };

/** Worse than any source: no source reported the figure. */
export const UNREPORTED = 7;
const FIGURE_BITS = 3;
export const REPORTERS_SHIFT = FIGURE_BITS * FIGURES.length;

export function packFigureSources(sources: Readonly<FigureSources>): number {
  let bits = sources.reporters << REPORTERS_SHIFT;
  for (let i = 0; i < FIGURES.length; i += 1) {
    bits |= sources[FIGURES[i] ?? 'place'] << (FIGURE_BITS * i);
  }
  return bits;
}

export function unpackFigureSources(bits: number): FigureSources {
  const codes = FIGURES.map((name, index) => [name, (bits >> (FIGURE_BITS * index)) & UNREPORTED]);
  return { ...Object.fromEntries(codes), reporters: bits >> REPORTERS_SHIFT } as FigureSources;
}
