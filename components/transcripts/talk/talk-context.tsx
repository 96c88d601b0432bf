'use client';
import { createContext, use } from 'react';

/** What the parts of a conversation need of the page around them. */
export interface Talk {
  id: string;
  /** Whether a fold is open, by its name; folds outlive the rows that scroll away. */
  isOpen: (fold: string) => boolean;
  toggle: (fold: string) => void;
  /** What of a secret lies in an entry, where it was shown on this page; undefined: it is masked. */
  revealed: (secret: number, entry: number) => string | undefined;
  askToReveal: (secret: number, rule: string) => void;
  /** Puts a line into the page's address. */
  nameLine: (line: number) => void;
}

const TalkContext = createContext<Talk | null>(null);

export const TalkProvider = TalkContext.Provider;

export function useTalk(): Talk {
  const talk = use(TalkContext);
  if (talk === null) throw new Error('useTalk needs <TalkProvider> above it');
  return talk;
}

/** The entry whose text is drawn: a secret may lie in several, a part of it in each. */
const EntryContext = createContext(-1);

export const EntryProvider = EntryContext.Provider;

export const useEntry = (): number => use(EntryContext);
