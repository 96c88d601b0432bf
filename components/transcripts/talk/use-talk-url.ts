'use client';
import { parseAsInteger, parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';

const PARSERS = {
  /** Words that are looked for. */
  q: parseAsString.withDefault(''),
  /** A line of the file, from 0: the message one came for. */
  line: parseAsInteger,
  view: parseAsStringLiteral(['raw'] as const),
};

/** What the address says about the conversation: a link shows a colleague the same place. */
export function useTalkUrl() {
  return useQueryStates(PARSERS, { history: 'replace', shallow: true, scroll: false });
}

export type TalkUrl = ReturnType<typeof useTalkUrl>[0];
