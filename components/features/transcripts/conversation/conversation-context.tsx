'use client';
import { createContext, use } from 'react';

/** State and actions of the page that parts of a conversation use. */
export interface ConversationActions {
  id: string;
  /** Whether a fold is open, by its name; folds outlive the rows that scroll away. */
  isOpen: (fold: string) => boolean;
  toggle: (fold: string) => void;
  /** The part of a secret in an entry; undefined: it is masked. */
  revealed: (secret: number, entry: number) => string | undefined;
  askToReveal: () => void;
  /** Puts a line into the page's address. */
  nameLine: (line: number) => void;
}

const ConversationContext = createContext<ConversationActions | null>(null);

export const ConversationProvider = ConversationContext.Provider;

export function useConversation(): ConversationActions {
  const actions = use(ConversationContext);
  if (actions === null) throw new Error('useConversation needs <ConversationProvider> above it');
  return actions;
}

/** The entry being drawn: a secret may span several, with a part in each. */
const EntryContext = createContext(-1);

export const EntryProvider = EntryContext.Provider;

export const useEntry = (): number => use(EntryContext);
