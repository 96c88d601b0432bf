/** Verbs of the palette that take an object: `open archive react`, `compare with nightly`, `say use blue`. */

const VERBS = {
  archive: /^(?:open\s+)?(?:the\s+)?archives?(?:\s+of)?(?:\s+|$)/i,
  compare: /^compare(?:\s+this(?:\s+session)?)?\s+(?:with|to|and)(?:\s+|$)/i,
} as const;
export type Verb = keyof typeof VERBS;

/** The typed beginning of each verb, to which the viewer adds the object. */
export const VERB_TEXT: Readonly<Record<Verb, string>> = {
  archive: 'open archive ',
  compare: 'compare with ',
};

const SAY = /^say(?:\s+|$)/i;
export const SAY_TEXT = 'say ';

/** The message of `say …`; null: another query. */
export function readMessage(query: string): string | null {
  return SAY.test(query) ? query.replace(SAY, '').trim() : null;
}

/** @returns the verb and the words of its object; no verb: all words */
export function readVerb(query: string): { verb: Verb | null; words: string } {
  for (const [verb, pattern] of Object.entries(VERBS)) {
    const [begin] = pattern.exec(query) ?? [];
    if (begin !== undefined) return { verb: verb as Verb, words: query.slice(begin.length).trim() };
  }
  return { verb: null, words: query };
}
