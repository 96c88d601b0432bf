'use client';
import { createContext, use } from 'react';
import type { TranscriptEntry, TranscriptOutline } from '@/core/api/transcript-contents';
import type { prepareSizes } from './prepare-sizes';

export interface ConversationState {
  outline: TranscriptOutline;
  sizes: ReturnType<typeof prepareSizes>;
  zone: string;
  /** Public id of the session. */
  session: string;
  /** Whether the fold of this name is open. A fold stays open when its row scrolls away. */
  isOpen: (fold: string) => boolean;
  toggle: (fold: string) => void;
  /** The part of a secret in an entry; undefined: the secret is masked. */
  revealed: (secret: number, entry: number) => string | undefined;
  /** Null: the viewer may not unmask secrets. */
  askToReveal: (() => void) | null;
  /** Puts a line into the URL. */
  nameLine: (line: number) => void;
  /** Undefined: not loaded. */
  entryOf: (entry: number) => TranscriptEntry | undefined;
  /** Loads an entry with its texts and images in full. @throws ApiError */
  readWhole: (entry: number) => Promise<void>;
}

export const ConversationContext = createContext<ConversationState | null>(null);

export function useConversation(): ConversationState {
  const shared = use(ConversationContext);
  if (shared === null) throw new Error('useConversation needs <ConversationContext> above it');
  return shared;
}

/** The entry being drawn. A secret that spans entries has a part in each. */
export const EntryContext = createContext(-1);
