import { defaultFilter } from 'cmdk';

/** Scores below this are letters that are scattered over unrelated words. */
const LOWEST = 0.02;

/** How well a query finds a text: 2 for all its words, less for its letters in order, 0 for no match. */
function matchScore(name: string, keywords: string, query: string): number {
  const text = `${name} ${keywords}`.toLowerCase();
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.every((word) => text.includes(word))) return 2;
  const score = defaultFilter(name, words.join(' '));
  return score < LOWEST ? 0 : score;
}

/** The matching items, the best match first, else in their order. */
export function bestMatches<T extends { name: string; keywords?: string }>(
  items: readonly T[],
  query: string,
): T[] {
  const scored = items.map((item) => ({ item, score: matchScore(item.name, item.keywords ?? '', query) }));
  return scored
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ item }) => item);
}
