'use client';
/** What the parts of a session's page share: its data, and small controls. */
import { createContext, use, useState } from 'react';
import type { SeriesPoint } from '@/core/api/series';
import type { Session } from '@/core/api/session';
import { SessionWhy } from '../../explain/session-why';
import type { Notes } from '../../notes/use-notes';
import type { SessionUrl } from './session-url';
import type { SessionData } from './use-session-data';

export interface SessionPage {
  data: SessionData;
  session: Session;
  /** Points of the main chain over the whole session. */
  points: readonly SeriesPoint[];
  url: SessionUrl;
  change: (change: Partial<SessionUrl>) => void;
  notes: Notes;
  zone: string;
}

export const SessionPageContext = createContext<SessionPage | null>(null);

export function useSessionPage(): SessionPage {
  const page = use(SessionPageContext);
  if (page === null) throw new Error('useSessionPage needs a SessionPageContext');
  return page;
}

type FigureProps = Omit<React.ComponentProps<typeof SessionWhy>, 'session' | 'inRow'>;

export function Figure(props: FigureProps) {
  return <SessionWhy session={useSessionPage().session} {...props} />;
}

export function Quiet({ children }: { children: React.ReactNode }) {
  return <span className="text-ink2">{children}</span>;
}

interface FoldProps {
  isOpen: boolean;
  /** The id of the folded part. */
  of: string;
  toggle: () => void;
  className?: string;
  children: React.ReactNode;
}

/** Opens and closes a part that has no room on a phone. */
export function Fold({ isOpen, of, toggle, className = '', children }: FoldProps) {
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      aria-controls={of}
      onClick={toggle}
      className={`inline-flex min-h-[34px] items-center gap-[6px] text-ink2 hover:text-ink aria-expanded:text-ink ${className}`}
    >
      <svg width="7" height="7" aria-hidden="true" className={isOpen ? 'rotate-90' : ''} fill="currentColor">
        <path d="M1 0l5 3.5L1 7z" />
      </svg>
      {children}
    </button>
  );
}

interface SectionProps {
  title: string;
  /** Beside the title, also while the section is closed. */
  note: React.ReactNode;
  /** Above the title, so that it is visible while the section is closed. */
  notice?: React.ReactNode;
  children: React.ReactNode;
}

/** A section that is closed until the viewer opens it. */
export function FoldedSection({ title, note, notice, children }: SectionProps) {
  return (
    <section aria-label={title} className="border-t border-hair">
      {notice}
      <details className="group">
        <summary className="flex cursor-default list-none min-h-[34px] flex-wrap items-baseline gap-x-[12px] py-[6px]">
          <h2 className="flex items-center gap-[8px] font-medium">
            <svg width="7" height="7" aria-hidden="true" className="group-open:rotate-90" fill="currentColor">
              <path d="M1 0l5 3.5L1 7z" />
            </svg>
            {title}
          </h2>
          <span className="text-ink2">{note}</span>
        </summary>
        {children}
      </details>
    </section>
  );
}

interface SelectProps {
  name: string;
  value: string;
  options: readonly string[];
  choose: (value: string) => void;
}

export function Select({ name, value, options, choose }: SelectProps) {
  return (
    <label className="flex items-baseline gap-[6px]">
      <span className="text-ink2">{name}</span>
      <select
        className="max-w-[180px] truncate bg-transparent"
        value={value}
        onChange={({ target }) => choose(target.value)}
      >
        {options.map((option) => (
          <option key={option}>{option}</option>
        ))}
      </select>
    </label>
  );
}

/** Distance to the end of a list at which more rows are drawn, pixels. */
const AHEAD = 600;

/** Number of rows to draw of a long list: `first`, and `step` more each time the viewer scrolls to the end. */
export function useGrowingRows(first: number, step: number) {
  const [most, setMost] = useState(first);
  const onScroll = ({ currentTarget }: React.UIEvent<HTMLElement>) => {
    const { scrollHeight, scrollTop, clientHeight } = currentTarget;
    if (scrollHeight - scrollTop - clientHeight < AHEAD) setMost((rows) => rows + step);
  };
  return { most, onScroll };
}
