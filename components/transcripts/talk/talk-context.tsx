'use client';
import { createContext, use } from 'react';

/** What the parts of a conversation need of the page around them. */
export interface Talk {
  id: string;
  /** Whether a fold is open, by its name; folds outlive the rows that scroll away. */
  isOpen: (fold: string) => boolean;
  toggle: (fold: string) => void;
  /** A secret that was shown on this page; undefined: it is masked. */
  revealed: (secret: number) => string | undefined;
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
