'use client';
import { createContext, use } from 'react';
import type { SeriesPoint } from '@/core/api/series';
import type { Session } from '@/core/api/session';
import type { SessionFigure } from '@/core/explain/explain-session';
import { SessionWhy } from '../../explain/session-why';
import type { Notes } from '../../notes/use-notes';
import type { SessionUrl } from './session-url';
import type { SessionData } from './use-session-data';

export interface SessionPage {
  data: SessionData;
  session: Session;
  /** Of the main chain, the whole session. */
  points: readonly SeriesPoint[];
  url: SessionUrl;
  change: (change: Partial<SessionUrl>) => void;
  notes: Notes;
  zone: string;
}

export const SessionPageContext = createContext<SessionPage | null>(null);

export function useSessionPage(): SessionPage {
  const page = use(SessionPageContext);
  if (page === null) throw new Error('this part belongs into a session’s page');
  return page;
}

interface FigureProps {
  figure: SessionFigure;
  /** The number's name where its own text does not say it. */
  name: string;
  className?: string;
  title?: string;
  children: React.ReactNode;
}

export function Figure(props: FigureProps) {
  return <SessionWhy session={useSessionPage().session} {...props} />;
}

export function Quiet({ children }: { children: React.ReactNode }) {
  return <span className="text-ink2">{children}</span>;
}
