import type { TranscriptState } from '@/core/api/transcripts';

const SHEET = 'M2.5.5h5l2 2v9h-7z';

/** The state as a sheet of paper, 12 px. */
export function TranscriptGlyph({ state }: { state: TranscriptState }) {
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
      {draw(state)}
    </svg>
  );
}

function draw(state: TranscriptState): React.ReactNode {
  switch (state) {
    case 'stored':
      return <path d={`${SHEET}M4.5 5h3M4.5 7.5h3`} />;
    case 'announced':
      return <path d={SHEET} strokeDasharray="1.5 1.5" />;
    case 'uploading':
      return (
        <>
          <path d={SHEET} strokeDasharray="1.5 1.5" />
          <path d="M6 10V4.5M3.8 6.7 6 4.5l2.2 2.2" />
        </>
      );
    case 'skipped':
    case 'failed':
      return (
        <>
          <path d={SHEET} strokeDasharray="1.5 1.5" />
          <path d={state === 'failed' ? 'M1 11.5l10-11M1 .5l10 11' : 'M1 11.5l10-11'} />
        </>
      );
    case 'damaged':
      return <path d={`${SHEET}M2.5 7.5l2-1.5 2 2 3-2.5`} />;
    case 'deleted':
      return <path d="M2.5 6.5v5h7v-5M1 5.5h10" />;
  }
}
