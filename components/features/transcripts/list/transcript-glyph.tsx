import { Children, Fragment } from 'react';
import type { TranscriptState } from '@/core/api/transcripts';

const SIGNS: Readonly<Record<TranscriptState, string>> = {
  stored: 'M4.5 5h3M4.5 7.5h3',
  announced: '',
  uploading: 'M6 10V4.5M3.8 6.7 6 4.5l2.2 2.2',
  skipped: 'M1 11.5l10-11',
  failed: 'M1 11.5l10-11M1 .5l10 11',
  damaged: 'M2.5 7.5l2-1.5 2 2 3-2.5',
  deleted: 'M2.5 6.5v5h7v-5M1 5.5h10',
};

/** The state as a sheet of paper, 12 px; dashed: the server does not have the bytes. */
export function TranscriptGlyph({ state }: { state: TranscriptState }) {
  const dashes = state === 'stored' || state === 'damaged' ? undefined : '1.5 1.5';
  return (
    <svg
      width="12"
      height="12"
      viewBox="0 0 12 12"
      fill="none"
      stroke="currentColor"
      className="shrink-0"
      aria-hidden="true"
    >
      {state === 'deleted' ? null : <path d="M2.5.5h5l2 2v9h-7z" strokeDasharray={dashes} />}
      <path d={SIGNS[state]} />
    </svg>
  );
}

/** Parts in a line, `a · b`, without empty ones. */
export function Dotted({ children }: { children: React.ReactNode }) {
  const parts = Children.toArray(children).filter((part) => part !== '');
  return parts.map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts have no id but their position
    <Fragment key={index}>
      {index === 0 ? null : <span className="text-ink2"> · </span>}
      {part}
    </Fragment>
  ));
}
